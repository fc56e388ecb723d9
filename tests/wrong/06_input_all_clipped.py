# exercise: 6.1
# mistake: input-clip-alike
import torch


def breaks_a():
    return torch.full((2, 3), 100.0)
