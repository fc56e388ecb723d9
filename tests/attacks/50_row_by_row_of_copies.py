# exercise: 13.1
# mistake: scores-stored
# Reads k and v once, and copies them; then each query sees all keys of the copies: nothing is online.
import torch


def tiled_attention(q, k, v, tile):
    keys, values = k.clone(), v.clone()
    rows = []
    for i in range(len(q)):
        s = keys @ q[i] * q.shape[1] ** -0.5
        p = torch.exp(s - s.max())
        rows.append(p @ values / p.sum())
    return torch.stack(rows)
