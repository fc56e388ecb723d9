# exercise: 1.1
# mistake: numbers-to-host
import torch


def naive_softmax(x):
    largest = [max(row) for row in x.tolist()]
    e = torch.exp(x - torch.tensor(largest, dtype=x.dtype)[:, None])
    return e / e.sum(dim=1)[:, None]
