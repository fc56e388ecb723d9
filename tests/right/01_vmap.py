# exercise: 1.1
import torch


def row_softmax(row):
    e = torch.exp(row - row.max())
    return e / e.sum()


def naive_softmax(x):
    return torch.vmap(row_softmax)(x)
