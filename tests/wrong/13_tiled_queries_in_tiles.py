# exercise: 13.1
# mistake: keys-read-again
import torch


def tiled_attention(q, k, v, tile):
    o = torch.empty(len(q), v.shape[1])
    for start in range(0, len(q), tile):
        s = q[start : start + tile] @ k.T * q.shape[1] ** -0.5
        p = torch.exp(s - s.amax(dim=1, keepdim=True))
        o[start : start + tile] = p @ v / p.sum(dim=1, keepdim=True)
    return o
