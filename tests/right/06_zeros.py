# exercise: 6.3
import torch


def breaks_c():
    return torch.zeros(4, 4)
