# exercise: 13.1
# mistake: tile-of-own-size
# A sixth of all keys is a tile, whatever `tile` says.
import torch


def tiled_attention(q, k, v, tile):
    tile = max(tile, len(k) // 6 + 1)
    scale = q.shape[1] ** -0.5
    m = torch.full((len(q), 1), -float("inf"), device=q.device)
    l = torch.zeros(len(q), 1, device=q.device)
    o = torch.zeros(len(q), v.shape[1], device=q.device)
    for start in range(0, len(k), tile):
        s = q @ k[start : start + tile].t() * scale
        new = torch.maximum(m, s.amax(1, keepdim=True))
        factor = torch.exp(m - new)
        p = torch.exp(s - new)
        l = l * factor + p.sum(1, keepdim=True)
        o = o * factor + p @ v[start : start + tile]
        m = new
    return o / l
