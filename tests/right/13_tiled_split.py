# exercise: 13.1
import math

import torch


def tiled_attention(q, k, v, tile):
    state = None
    for keys, values in zip(torch.split(k, tile), torch.split(v, tile)):
        s = torch.einsum("md,nd->mn", q, keys) / math.sqrt(q.shape[-1])
        m = s.max(dim=-1, keepdim=True).values
        p = (s - m).exp()
        new = m, p.sum(-1, keepdim=True), p.matmul(values)
        state = new if state is None else merge(state, new)
    _, l, o = state
    return torch.div(o, l)


def merge(a, b):
    m = torch.max(a[0], b[0])
    fa, fb = torch.exp(a[0] - m), torch.exp(b[0] - m)
    return m, fa * a[1] + fb * b[1], fa * a[2] + fb * b[2]
