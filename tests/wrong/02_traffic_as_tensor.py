# exercise: 2.1
# mistake: not-two-numbers
import torch


def fused_traffic(m, n):
    return torch.tensor([m * n, m * n])
