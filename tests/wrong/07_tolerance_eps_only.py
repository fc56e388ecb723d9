# exercise: 7.2
# mistake: tolerance-strict
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    return info.eps, info.smallest_normal * info.eps
