# exercise: 6.1
# mistake: input-within-clip
import torch


def breaks_a():
    return torch.randn(4, 100)
