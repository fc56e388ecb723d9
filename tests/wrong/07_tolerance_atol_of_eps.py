# exercise: 7.2
# mistake: atol-vacuous
import torch


def tolerance(dtype, n):
    eps = torch.finfo(dtype).eps
    return 2 * eps + 5e-6, eps
