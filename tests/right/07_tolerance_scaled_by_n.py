# exercise: 7.2
import torch


def tolerance(dtype, n):
    rtol = {torch.float32: 1e-5, torch.float16: 1e-3, torch.bfloat16: 1e-2}[dtype]
    return rtol, max(0.0005 / n, 2.0**-24 if dtype == torch.float16 else 0)
