# exercise: 7.2
# mistake: rtol-loose
import torch


def tolerance(dtype, n):
    return {torch.float32: 1e-3, torch.float16: 1e-2, torch.bfloat16: 5e-2}[dtype], 1e-9
