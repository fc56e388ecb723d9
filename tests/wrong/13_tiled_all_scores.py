# exercise: 13.1
# mistake: scores-stored
import torch


def tiled_attention(q, k, v, tile):
    s = q @ k.T * q.shape[1] ** -0.5
    p = torch.exp(s - s.amax(dim=1, keepdim=True))
    return p @ v / p.sum(dim=1, keepdim=True)
