# exercise: 6.2
# mistake: input-without-softmax
import torch


def breaks_b():
    x = torch.zeros(1, 100)
    x[0, 80] = torch.inf
    return x
