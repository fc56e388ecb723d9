# exercise: 13.1
# mistake: nothing-to-reduce
import math

import torch

def tiled_attention(q, k, v, tile):
    """softmax(q kᵀ / √d) v for q (M×d), k (N×d), v (N×dv), float32, in tiles of `tile` keys."""
    scale = q.shape[1] ** (-0.5)
    m = torch.full((len(q), 1), -math.inf, device=q.device)
    l = torch.zeros(len(q), 1, device=q.device)
    o = torch.zeros(len(q), v.shape[1], device=q.device)
    for start in range(0, len(k), tile):
        s = q @ k[start:tile].T * scale
        new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        factor = torch.exp(m - new)
        p = torch.exp(s - new)
        l = l * factor + p.sum(dim=1, keepdim=True)
        o = o * factor + p @ v[start:start + tile]
        m = new
    return o / l
