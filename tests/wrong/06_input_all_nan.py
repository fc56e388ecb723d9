# exercise: 6.1
# mistake: input-without-softmax
import torch


def breaks_a():
    return torch.full((2, 3), float('nan'))
