# exercise: 6.1
# mistake: input-too-large
import torch


def breaks_a():
    return torch.full((5000, 2), 100.0)
