# An output of no elements, which the operator makes larger.
import torch


def fused_softmax(x):
    y = torch.empty(0, device=x.device)
    torch.exp(x - x.amax(1, keepdim=True), out=y)
    return y / y.sum(1, keepdim=True)
