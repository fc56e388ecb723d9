# exercise: 7.2
# mistake: tolerance-strict
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    eps = info.eps
    return 10*eps, 0
