# exercise: 13.1
# mistake: scores-stored
import torch


def tiled_attention(q, k, v, tile):
    tiles = [q @ part.T * q.shape[1] ** -0.5 for part in k.split(tile)]
    m = torch.stack([s.amax(dim=1) for s in tiles]).amax(dim=0)[:, None]
    tiles = [torch.exp(s - m) for s in tiles]
    l = sum(p.sum(dim=1, keepdim=True) for p in tiles)
    return sum(p @ part for p, part in zip(tiles, v.split(tile))) / l
