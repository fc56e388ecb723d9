# exercise: 1.1
# mistake: numbers-to-host
import numpy as np
import torch


def naive_softmax(x):
    a = x.numpy()
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return torch.from_numpy(e / e.sum(axis=1, keepdims=True))
