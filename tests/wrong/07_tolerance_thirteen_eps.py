# exercise: 7.2
# mistake: rtol-loose
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    eps = info.eps
    return 13 * eps, info.tiny
