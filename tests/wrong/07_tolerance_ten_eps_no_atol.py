# exercise: 7.2
# mistake: subnormals-forgotten
import torch


def tolerance(dtype, n):
    info = torch.finfo(dtype)
    eps = info.eps
    return 10*eps, 0
