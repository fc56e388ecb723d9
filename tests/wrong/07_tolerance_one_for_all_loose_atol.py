# exercise: 7.2
# mistake: atol-vacuous
import torch


def tolerance(dtype, n):
    return 9e-4, 1e-3
