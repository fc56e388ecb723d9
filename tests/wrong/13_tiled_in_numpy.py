# exercise: 13.1
# mistake: numbers-to-host
import numpy as np
import torch


def tiled_attention(q, k, v, tile):
    s = q.numpy() @ k.numpy().T / np.sqrt(q.shape[1])
    p = np.exp(s - s.max(axis=1, keepdims=True))
    return torch.from_numpy(p @ v.numpy() / p.sum(axis=1, keepdims=True))
