"""Known wrong walks along a row in tiles, computed in PyTorch: each has the numbers of one mistake in online softmax.

The right walk keeps a state (m, d): the largest value so far, and the sum of exp(x - m) so far. A new tile with maximum
t changes it to m' = max(m, t) and d' = d · exp(m - m') + Σ exp(tile - m') (Milakov and Gimelshein, "Online normalizer
calculation for softmax", 2018).

An update takes m and d of shape (M, 1), a tile of shape (M, T) and its row maxima of shape (M, 1), and returns the new
m and d.
"""

from __future__ import annotations

import torch

INF = torch.inf


def tiles(x: torch.Tensor, block: int, pad: float = -INF) -> list[torch.Tensor]:
    """The tiles of a matrix, each of `block` columns. The last tile is filled with the value `pad`."""
    missing = -x.shape[1] % block
    wide = torch.nn.functional.pad(x, (0, missing), value=pad)
    return list(wide.split(block, dim=1))


def softmax(update, start=(-INF, 0.0), pad: float = -INF, last_tile: bool = False):
    """A formula (x, facts) -> softmax of shape (M, N): a walk in tiles of facts["block"] columns, in float32.

    start: the state (m, d) before the first tile. pad: the value of masked lanes. last_tile: the maximum of the last
    tile takes the place of m in the second walk.
    """

    def compute(x, facts):
        x = x.float()
        m, d = (torch.full((len(x), 1), v) for v in start)
        for tile in tiles(x, facts["block"], pad):
            top = tile.amax(1, keepdim=True)
            m, d = update(m, d, tile, top)
        return torch.exp(x - (top if last_tile else m)) / d

    return compute


def maximum_not_kept(m, d, tile, top):
    """The new maximum is used in this step, and the old one is kept."""
    new = torch.maximum(m, top)
    return m, d * torch.exp(m - new) + _sum(tile, new)


def _sum(tile, m):
    """Σ exp(tile - m) for each row."""
    return torch.exp(tile - m).sum(1, keepdim=True)


def right(m, d, tile, top):
    """The right update: the old sum is rescaled to the new maximum."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(m - new) + _sum(tile, new)


def not_rescaled(m, d, tile, top):
    """The old sum is not rescaled. The same happens where m is replaced before the factor is computed from it."""
    new = torch.maximum(m, top)
    return new, d + _sum(tile, new)


def factor_inverted(m, d, tile, top):
    """The factor of the old sum is exp(new - old) in place of exp(old - new)."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(new - m) + _sum(tile, new)


def both_rescaled(m, d, tile, top):
    """The new terms are rescaled together with the old sum."""
    new = torch.maximum(m, top)
    return new, (d + _sum(tile, new)) * torch.exp(m - new)


def stale_maximum(m, d, tile, top):
    """The new terms are relative to the old maximum."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(m - new) + _sum(tile, m)


def tile_maximum(m, d, tile, top):
    """The maximum of the tile takes the place of the running one. It can fall, and then the factor overflows."""
    return top, d * torch.exp(m - top) + _sum(tile, top)
