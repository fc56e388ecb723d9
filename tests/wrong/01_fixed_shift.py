# exercise: 1.1
# mistake: fixed-shift
import torch


def naive_softmax(x):
    e = torch.exp(x - 50)
    return e / e.sum(dim=1, keepdim=True)
