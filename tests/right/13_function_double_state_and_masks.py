# exercise: 13.1
# The state in float64, tiles of one size with a mask, and a buffer for the scores that is used again.
import torch


def tiled_attention(q, k, v, tile):
    (m, d), n = q.shape, k.shape[0]
    high = torch.full((m, 1), -torch.inf, dtype=torch.float64)
    total, out = torch.zeros(m, 1, dtype=torch.float64), torch.zeros(m, v.shape[1], dtype=torch.float64)
    buffer = torch.empty(m, tile)
    for start in range(0, n, tile):
        size = min(tile, n - start)
        torch.mul(q @ k[start : start + size].T, d**-0.5, out=buffer[:, :size])
        exists = torch.arange(tile) < size
        scores = torch.where(exists, buffer, -torch.inf)
        new = torch.maximum(high, scores.max(dim=1, keepdim=True).values.double())
        weights = torch.exp(scores - new.float())[:, :size]
        factor = torch.exp(high - new)
        total = total * factor + weights.sum(dim=1, keepdim=True)
        out = out * factor + weights @ v[start : start + size]
        high = new
    return (out / total).float()
