# exercise: 6.1
# mistake: input-clip-alike
import torch


def breaks_a():
    return torch.tensor([[100.0], [90.0]])
