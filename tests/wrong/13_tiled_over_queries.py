# exercise: 13.1
# mistake: wrong-axis
import torch


def tiled_attention(q, k, v, tile):
    o = torch.zeros(len(q), v.shape[1])
    for start in range(0, len(k), tile):
        s = q @ k[start : start + tile].T * q.shape[1] ** -0.5
        p = torch.exp(s - s.amax(dim=0))
        o += p / p.sum(dim=0) @ v[start : start + tile]
    return o
