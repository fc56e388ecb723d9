# exercise: 13.1
# mistake: nan-computed
import torch


def tiled_attention(q, k, v, tile):
    scale = q.shape[1] ** -0.5
    q, k, v = q.double(), k.double(), v.double()
    m = torch.full((len(q), 1), -torch.inf)
    l = torch.zeros(len(q), 1)
    o = torch.zeros(len(q), v.shape[1])
    for start in range(0, len(k), tile):
        s = q @ k[start : start + tile].T * scale
        p = torch.exp(s)
        l = l + p.sum(dim=1, keepdim=True)
        o = o + p @ v[start : start + tile]
    return (o / l).float()
