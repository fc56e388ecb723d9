# exercise: 7.2
# mistake: tolerance-not-numbers
import torch


def tolerance(dtype, n):
    return torch.finfo(dtype).eps
