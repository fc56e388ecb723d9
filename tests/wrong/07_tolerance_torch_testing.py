# exercise: 7.2
# mistake: atol-vacuous
import torch


def tolerance(dtype, n):
    rtol = {torch.float32: 1.3e-6, torch.float16: 1e-3, torch.bfloat16: 1.6e-2}[dtype]
    return rtol, 1e-5
