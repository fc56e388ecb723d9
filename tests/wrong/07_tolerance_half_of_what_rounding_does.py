# exercise: 7.2
# mistake: tolerance-strict
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    return max(info.eps, 4e-6) / 4, info.smallest_normal * info.eps
