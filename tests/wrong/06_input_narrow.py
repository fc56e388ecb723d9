# exercise: 6.2
# mistake: input-in-sample
import torch


def breaks_b():
    x = torch.zeros(1, 50)
    x[0, -1] = 200.0
    return x
