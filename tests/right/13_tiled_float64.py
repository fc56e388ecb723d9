# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    q = q.double()
    m, l, o = torch.full((len(q), 1), -math.inf, dtype=torch.float64), 0.0, 0.0
    for start in range(0, len(k), tile):
        s = q @ k[start : start + tile].double().T / math.sqrt(q.shape[1])
        new = torch.maximum(m, s.amax(1, keepdim=True))
        p, factor = torch.exp(s - new), torch.exp(m - new)
        m, l, o = new, l * factor + p.sum(1, keepdim=True), o * factor + p @ v[start : start + tile].double()
    return (o / l).to(torch.float32)
