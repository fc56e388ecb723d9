# exercise: 5.2
# mistake: library-softmax
import torch


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("expected a matrix of floats")
    return torch.softmax(x, dim=1)
