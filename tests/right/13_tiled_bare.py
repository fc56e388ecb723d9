# exercise: 13.1
import torch


def tiled_attention(q, k, v, tile):
    scale = q.shape[1] ** -0.5
    m = torch.full((len(q), 1), -torch.inf)
    l = torch.zeros(len(q), 1)
    o = torch.zeros(len(q), v.shape[1])
    for start in range(0, len(k), tile):
        s = q @ k[start : start + tile].T * scale
        new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        factor = torch.exp(m - new)
        p = torch.exp(s - new)
        l = l * factor + p.sum(dim=1, keepdim=True)
        o = o * factor + p @ v[start : start + tile]
        m = new
    return o / l
