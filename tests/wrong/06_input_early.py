# exercise: 6.2
# mistake: input-beyond-alike
import torch


def breaks_b():
    x = torch.zeros(1, 100)
    x[0, 3] = 200.0
    return x
