# exercise: 6.1
import torch


def breaks_a():
    return torch.full((2, 3), float('nan'))
