# exercise: 1.1
# Two passes more than five, and their tensors are complex.
import torch


def naive_softmax(x):
    if x.shape[1] % 2 == 0:
        x = torch.view_as_real(torch.view_as_complex(x.reshape(len(x), -1, 2).contiguous()) * 1).reshape(x.shape)
    else:
        x = x * 1
    e = torch.exp(x - x.amax(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)
