# exercise: 7.2
# mistake: tolerance-not-numbers
import torch


def tolerance(dtype, n):
    return -1e-3, 1e-8
