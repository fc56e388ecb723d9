# exercise: 7.2
# mistake: atol-vacuous
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    return 4 * max(info.eps, 1e-6), info.smallest_normal
