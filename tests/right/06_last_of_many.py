# exercise: 6.2
import torch


def breaks_b():
    x = torch.randn(5, 65)
    x[:, -1] += 100
    return x
