# exercise: 7.2
# mistake: subnormals-forgotten
import torch


def tolerance(dtype, n):
    return 4 * max(torch.finfo(dtype).eps, 1e-6), 0.0
