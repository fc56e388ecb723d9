# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    ms, ls, os = [], [], []
    for start in range(0, len(k), tile):
        s = q @ k[start : start + tile].mT * (1 / math.sqrt(q.size(1)))
        ms.append(s.amax(1))
        p = torch.exp(s - ms[-1][:, None])
        ls.append(p.sum(1))
        os.append(p @ v[start : start + tile])
    factors = torch.exp(torch.stack(ms) - torch.stack(ms).amax(0))
    l = (factors * torch.stack(ls)).sum(0)
    return (factors[..., None] * torch.stack(os)).sum(0) / l[:, None]
