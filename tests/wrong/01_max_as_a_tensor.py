# exercise: 1.1
# mistake: values-and-places
import torch


def naive_softmax(x):
    e = torch.exp(x - x.max(dim=1, keepdim=True))
    return e / e.sum(dim=1, keepdim=True)
