# exercise: 7.2
# mistake: tolerance-strict
import math
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    eps = info.eps
    spacing = info.smallest_normal * eps
    return eps*math.sqrt(n), spacing
