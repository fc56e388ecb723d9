# exercise: 13.1
# mistake: scores-stored
import torch


def tiled_attention(q, k, v, tile):
    s = torch.empty(len(q), len(k))
    for start in range(0, len(k), tile):
        s[:, start : start + tile] = q @ k[start : start + tile].T * q.shape[1] ** -0.5
    s = torch.exp(s - s.amax(dim=1, keepdim=True))
    return s @ v / s.sum(dim=1, keepdim=True)
