# exercise: 6.3
# mistake: input-no-tie
import torch


def breaks_c():
    return torch.tensor([[1.0, 1.0, 2.0]])
