# exercise: 13.1
# mistake: scale-of-another-size
import math

import torch

def tiled_attention(q, k, v, tile):
    """softmax(q kᵀ / √d) v for q (M×d), k (N×d), v (N×c), float32, in tiles of `tile` keys: a new M×c tensor."""
    scale = v.shape[1] ** -0.5
    # The state before the first key: for each query a maximum, a sum, a row of zeros (3 lines).
    m = torch.full((len(q), 1), -math.inf, device=q.device)
    l = torch.zeros(len(q), 1, device=q.device)
    o = torch.zeros(len(q), v.shape[1], device=q.device)
    for start in range(0, len(k), tile):
        # The scores of this tile, the new maximum of each query, and the new l and o, not yet divided (about 7 lines).
        s = q @ k[start : start + tile].T * scale
        new = torch.maximum(m, s.amax(dim=1, keepdim=True))
        factor = torch.exp(m - new)
        p = torch.exp(s - new)
        l = l * factor + p.sum(dim=1, keepdim=True)
        o = o * factor + p @ v[start : start + tile]
        m = new
    # The mean (1 line).
    return o / l
