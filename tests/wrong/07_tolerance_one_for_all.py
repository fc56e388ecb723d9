# exercise: 7.2
# mistake: one-tolerance
import torch


def tolerance(dtype, n):
    return 2e-3, 1e-6
