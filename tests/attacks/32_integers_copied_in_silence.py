# exercise: 1.1
# Two passes more than five, on integers that an operator calls new.
import torch


def naive_softmax(x):
    bits = torch.ops.aten._unsafe_view(x.contiguous().view(torch.int32), list(x.shape))
    x = bits.clone().bitwise_or(0).view(torch.float32)
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)
