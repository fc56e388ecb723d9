# exercise: 6.1
# mistake: input-within-clip
import torch


def breaks_a():
    return torch.tensor([[80.0, 79.0]])
