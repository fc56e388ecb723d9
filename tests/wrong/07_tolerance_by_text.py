# exercise: 7.2
# mistake: dtype-is-no-text
import torch


def tolerance(dtype, n):
    if dtype == "float32":
        return 1e-5, 1e-30
    return 1e-2, 1e-6
