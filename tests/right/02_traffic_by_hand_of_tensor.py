# exercise: 2.1
import torch


def fused_traffic(m, n):
    x = torch.empty(m, n, device="meta")
    return x.numel(), torch.empty_like(x).numel()
