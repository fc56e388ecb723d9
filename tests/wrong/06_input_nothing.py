# exercise: 6.1
# mistake: returns-nothing
import torch


def breaks_a():
    torch.tensor([[100.0, 90.0]])
