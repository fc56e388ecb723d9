# exercise: 7.2
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    eps = info.eps
    spacing = info.smallest_normal * eps
    return max(eps, 2.5e-6), spacing
