# exercise: 7.2
import torch


def tolerance(dtype, n):
    rtol = {"float32": 1e-5, "float16": 1e-3, "bfloat16": 1e-2}[str(dtype).split(".")[1]]
    atol = 2**-24
    if dtype != torch.float16:
        atol = 0
    return [rtol, atol]
