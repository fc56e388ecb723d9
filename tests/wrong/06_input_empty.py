# exercise: 6.1
# mistake: input-empty
import torch


def breaks_a():
    return torch.empty(0, 5)
