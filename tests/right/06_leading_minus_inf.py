# exercise: 6.2
import torch


def breaks_b():
    x = torch.full((3, 128), -torch.inf)
    x[:, 70:] = 1.0
    return x
