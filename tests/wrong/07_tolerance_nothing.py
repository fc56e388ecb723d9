# exercise: 7.2
# mistake: returns-nothing
import torch


def tolerance(dtype, n):
    rtol = torch.finfo(dtype).eps
