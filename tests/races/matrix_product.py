# Sums as a product with ones, from two views of one buffer that the call makes.
import torch


def fused_softmax(x):
    buffer = torch.empty(2, *x.shape, device=x.device, dtype=x.dtype)
    e, y = buffer.unbind(0)
    torch.exp(x.sub(x.amax(1, keepdim=True)), out=e)
    return torch.div(e, e @ torch.ones(x.shape[1], 1, device=x.device), out=y)
