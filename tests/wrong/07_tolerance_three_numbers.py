# exercise: 7.2
# mistake: tolerance-not-numbers
import torch


def tolerance(dtype, n):
    return 1e-5, 1e-8, n
