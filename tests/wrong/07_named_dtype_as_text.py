# exercise: 7.2
# mistake: dtype-is-no-text
import torch


def tolerance(dtype, n):
    return {"float32": (1e-5, 0.0), "bfloat16": (8e-3, 1e-40), "float16": (1e-3, 6e-8)}[dtype]
