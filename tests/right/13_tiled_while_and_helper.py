# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    start, state = 0, (torch.full((len(q),), -math.inf), torch.zeros(len(q)), torch.zeros(len(q), v.size(1)))
    while start < len(k):
        end = min(start + tile, len(k))
        state = step(state, q, k[start:end], v[start:end])
        start = end
    return state[2] / state[1].unsqueeze(1)


def step(state, q, k, v):
    m, l, o = state
    s = (q.unsqueeze(1) * k.unsqueeze(0)).sum(2) / math.sqrt(q.size(1))
    new = m.maximum(s.amax(1))
    p = torch.exp(s - new.unsqueeze(1))
    r = torch.exp(m - new)
    return new, l * r + p.sum(1), o * r.unsqueeze(1) + p @ v
