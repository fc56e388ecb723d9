# exercise: 6.3
# mistake: input-no-tie
import torch


def breaks_c():
    return torch.linspace(0, 1, 10).reshape(2, 5)
