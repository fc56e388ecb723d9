# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    m = q.new_full((len(q), 1), -math.inf)
    acc = q.new_zeros(len(q), v.shape[1] + 1)  # the last column sums the weights
    for start in reversed(range(0, len(k), tile)):
        values = v[start : start + tile]
        values = torch.cat([values, values.new_ones(len(values), 1)], dim=1)
        s = (q @ k[start : start + tile].T).mul_(1 / math.sqrt(q.shape[1]))
        new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        acc.mul_(torch.exp(m - new)).addmm_(s.sub_(new).exp_(), values)
        m = new
    return acc[:, :-1] / acc[:, -1:]
