# exercise: 7.2
# mistake: tolerances-swapped
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    return info.smallest_normal * info.eps, 4 * max(info.eps, 1e-6)
