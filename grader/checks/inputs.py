"""Families of inputs. Each exists because some wrong answer passes the others."""

from __future__ import annotations

from collections.abc import Callable

import torch

Family = Callable[[int, int, torch.Generator], torch.Tensor]


def generator(seed: int) -> torch.Generator:
    """A random generator of its own, so that no case depends on the ones before it."""
    return torch.Generator().manual_seed(seed)


def randn(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Standard normal values, float32, shape (m, n)."""
    return torch.randn(m, n, generator=g)


def far_below_zero(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Around -200: exp underflows to 0 unless the row maximum goes first, and a pad of 0 becomes the maximum."""
    return randn(m, n, g) - 200


def large(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """100 ± 30: exp overflows unless the row maximum goes first."""
    return 100 + 30 * randn(m, n, g)


def ascending(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Each value above the one before: the running maximum moves at every step."""
    return torch.linspace(-4, 4, n).expand(m, n) + torch.arange(m).unsqueeze(1) * 0.25


def descending(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first value of a row is its maximum."""
    return ascending(m, n, g).flip(1)


def cliff(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first half at +200, the rest at -200: any shift but the row maximum overflows or vanishes."""
    x = randn(m, n, g) - 200
    x[:, : (n + 1) // 2] += 400
    return x


def rising_cliff(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first half at -200, the rest at +200: the first value of a row is no shift to rely on."""
    return cliff(m, n, g).flip(1)


def lowest(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Rows of -1e38: a finite pad for masked lanes, however small it looks, is the largest value of such a row."""
    return torch.full((m, n), -1e38)


def constant(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """All values of a row alike: every output is 1/N."""
    return torch.full((m, n), 3.0) - torch.arange(m).unsqueeze(1)


def rows_apart(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Row r around -150·r: with a maximum that several rows share, the lower ones vanish."""
    return randn(m, n, g) - 150.0 * torch.arange(m).unsqueeze(1)


def down_and_up(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """Rows that fall by 150 each and rise again: what is kept of a high row makes a lower one vanish."""
    low = torch.minimum(torch.arange(m), torch.arange(m).flip(0)).unsqueeze(1)
    return randn(m, n, g) - 150.0 * low


def one_minus_inf(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """One -inf in each row: its output is 0, and nothing else changes."""
    x = randn(m, n, g)
    x[:, n // 2] = -torch.inf
    return x


def leading_minus_inf(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """The first half of each row is -inf: a walk along the row meets nothing finite for a while."""
    x = randn(m, n, g)
    x[:, : n // 2] = -torch.inf
    return x


def outlier(m: int, n: int, g: torch.Generator) -> torch.Tensor:
    """One value of a row stands at 20 or more and takes nearly everything."""
    x = randn(m, n, g)
    x[:, n // 3] = 20 + x[:, n // 3].abs()
    return x


def row_strided(x: torch.Tensor, gap: int = 3) -> torch.Tensor:
    """The same values, with `gap` elements of NaN (of integers: 1) between the rows that belong to nobody."""
    m, n = x.shape
    wide = torch.full((m, n + gap), torch.nan if x.is_floating_point() else 1, dtype=x.dtype)
    wide[:, :n] = x
    return wide[:, :n]


def column_strided(x: torch.Tensor) -> torch.Tensor:
    """The same values as a transposed view: neighbours in a row are not neighbours in memory."""
    return x.t().contiguous().t()
