"""Known wrong ways to walk along a row in tiles, computed in PyTorch: for naming the mistake in an online softmax.

The right way (Milakov and Gimelshein, 2018) keeps a state (m, d): the largest value so far, and the sum of exp(x - m).
A new tile with maximum t gives m' = max(m, t) and d' = d·exp(m - m') + Σ exp(tile - m').
"""

from __future__ import annotations

import math

import torch

INF = torch.inf


def state(xs: list[float]) -> tuple[float, float]:
    """(maximum, sum of exp(x - maximum)) in float64; of nothing it is (-inf, 0), so that merging it changes nothing."""
    m = max(xs, default=-INF)
    return m, math.fsum(math.exp(x - m) for x in xs) if m > -INF else 0.0


def tiles(x: torch.Tensor, block: int, pad: float = -INF) -> list[torch.Tensor]:
    """The tiles of a matrix, `block` columns each; the last one is filled up with pad."""
    missing = -x.shape[1] % block
    wide = torch.nn.functional.pad(x, (0, missing), value=pad)
    return list(wide.split(block, dim=1))


def softmax(update, start=(-INF, 0.0), pad: float = -INF, last_tile: bool = False):
    """A formula (x, facts) -> y: walk in tiles of facts["block"] with `update`, then normalise with the final state.

    update(m, d, tile, t) -> (m, d): tensors with one value a row, a tile, and the tile's maximum. last_tile: the final
    division uses the last tile's maximum in place of m.
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
    """The new maximum is computed and then forgotten."""
    new = torch.maximum(m, top)
    return m, d * torch.exp(m - new) + _sum(tile, new)


def sum_of_values(m, d, tile, top):
    """The values themselves are added."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(m - new) + tile.sum(1, keepdim=True)


def first_as_it_is(update):
    """The same update, but the first part seen becomes the state as it is, as those do who guard the start."""

    def guarded(m, d, tile, top):
        return (top, _sum(tile, top)) if bool((d == 0).all()) else update(m, d, tile, top)

    return guarded


def _sum(tile, m):
    return torch.exp(tile - m).sum(1, keepdim=True)


def right(m, d, tile, top):
    """The old sum is rescaled to the new maximum."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(m - new) + _sum(tile, new)


def not_rescaled(m, d, tile, top):
    """The old sum stays as it was; so it does when m is replaced before the factor is computed."""
    new = torch.maximum(m, top)
    return new, d + _sum(tile, new)


def factor_inverted(m, d, tile, top):
    """exp(new - old) in place of exp(old - new)."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(new - m) + _sum(tile, new)


def both_rescaled(m, d, tile, top):
    """The new terms are rescaled as well."""
    new = torch.maximum(m, top)
    return new, (d + _sum(tile, new)) * torch.exp(m - new)


def stale_maximum(m, d, tile, top):
    """The new terms are taken relative to the old maximum."""
    new = torch.maximum(m, top)
    return new, d * torch.exp(m - new) + _sum(tile, m)


def tile_maximum(m, d, tile, top):
    """The tile's own maximum in place of the running one: it can go down, and then the factor overflows."""
    return top, d * torch.exp(m - top) + _sum(tile, top)
