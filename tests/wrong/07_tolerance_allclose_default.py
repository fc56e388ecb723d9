# exercise: 7.2
# mistake: one-tolerance
import torch


def tolerance(dtype, n):
    return 1e-5, 1e-8
