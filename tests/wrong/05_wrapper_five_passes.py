# exercise: 5.2
# mistake: no-kernel
import torch


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("expected a matrix of floats")
    row_max = x.amax(dim=1, keepdim=True)
    shifted = x - row_max
    numerator = torch.exp(shifted)
    denominator = numerator.sum(dim=1, keepdim=True)
    return numerator / denominator
