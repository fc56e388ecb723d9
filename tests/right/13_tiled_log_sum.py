# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    log_sum = torch.full((len(q), 1), -math.inf)
    o = torch.zeros(len(q), v.shape[1])
    for i in range(math.ceil(len(k) / tile)):
        here = slice(i * tile, (i + 1) * tile)
        s = q @ k[here].t() / q.shape[1] ** 0.5
        top = s.amax(1, keepdim=True)
        mine = top + torch.log(torch.exp(s - top).sum(1, keepdim=True))
        both = torch.logaddexp(log_sum, mine)
        o = o * torch.exp(log_sum - both) + torch.exp(s - both) @ v[here]
        log_sum = both
    return o
