# exercise: 13.1
# mistake: keys-read-again
import torch


def tiled_attention(q, k, v, tile):
    scale = q.shape[1] ** -0.5
    m = torch.full((len(q), 1), -torch.inf)
    for part in k.split(tile):
        m = torch.maximum(m, (q @ part.T * scale).amax(dim=1, keepdim=True))
    l, o = torch.zeros(len(q), 1), torch.zeros(len(q), v.shape[1])
    for part, values in zip(k.split(tile), v.split(tile)):
        p = torch.exp(q @ part.T * scale - m)
        l += p.sum(dim=1, keepdim=True)
        o += p @ values
    return o / l
