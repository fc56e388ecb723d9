# exercise: 6.1
# mistake: input-no-matrix
import torch


def breaks_a():
    return torch.empty(0, 5)
