# exercise: 1.1
# control: failed
import torch


def naive_softmax(x):
    return torch.exp(x) / torch.exp(x).sum(dim=1, keepdim=True)
