# exercise: 6.1
# mistake: input-no-matrix
import torch


def breaks_a():
    return torch.tensor([100.0, 90.0])
