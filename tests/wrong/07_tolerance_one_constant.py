# exercise: 7.2
# mistake: one-tolerance
import torch


def tolerance(dtype, n):
    return 4e-3, 3e-8
