# exercise: 7.2
# mistake: atol-vacuous
import torch


def tolerance(dtype, n):
    return 4 * torch.finfo(dtype).eps + 1e-5, 1e-2
