# exercise: 7.2
# mistake: rtol-loose
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    eps = info.eps
    spacing = info.smallest_normal * eps
    return eps*n, spacing
