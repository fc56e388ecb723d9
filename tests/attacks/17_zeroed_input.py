# exercise: 1.1
import torch


def naive_softmax(x):
    x.zero_()
    e = torch.exp(x - x.amax(dim=1)[:, None])
    return e / e.sum(dim=1)[:, None]
