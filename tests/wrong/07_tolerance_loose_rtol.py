# exercise: 7.2
# mistake: rtol-loose
import torch


def tolerance(dtype, n):
    return 0.5 + torch.finfo(dtype).eps, 0.0
