# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    m = torch.full((q.shape[0],), -math.inf)
    l = torch.zeros(q.shape[0])
    o = torch.zeros(q.shape[0], v.shape[1])
    for start in range(0, k.shape[0], tile):
        s = torch.nn.functional.linear(q, k[start : start + tile]) / math.sqrt(q.shape[1])
        new = torch.maximum(m, s.max(dim=1)[0])
        p = torch.exp(s - new[:, None])
        old = l * torch.exp(m - new)
        l = old + p.sum(dim=1)
        o = (o * old[:, None] + p @ v[start : start + tile]) / l[:, None]
        m = new
    return o
