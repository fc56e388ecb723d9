# exercise: 7.2
# mistake: no-such-entry
import torch


def tolerance(dtype, n):
    return {torch.float16: (1e-3, 6e-8), torch.bfloat16: (1e-2, 0.0)}[dtype]
