# exercise: 6.1
# mistake: input-too-large
import torch


def breaks_a():
    return torch.ones(1, 300000)
