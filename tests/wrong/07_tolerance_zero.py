# exercise: 7.2
# mistake: tolerance-zero
import torch


def tolerance(dtype, n):
    return 0, 0
