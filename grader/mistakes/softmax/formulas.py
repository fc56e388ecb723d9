"""Known wrong softmaxes, computed in PyTorch: an answer whose numbers fit one of them has made that mistake.

Each takes x (M×N) and a case's facts and returns M×N. float32 where the range matters, float64 elsewhere.
"""

from __future__ import annotations

import torch


def _exp32(x: torch.Tensor) -> torch.Tensor:
    """exp as float32 sees it: inf above 88.7, 0 far below."""
    return torch.exp(x.float()).double()


def no_max(x, facts):
    """softmax without the shift."""
    e = _exp32(x)
    return e / e.sum(1, keepdim=True).float().double()


def shifted_by(shift):
    """softmax with a shift other than the row maximum; shift(x) has shape (M, 1) or ()."""

    def compute(x, facts):
        e = _exp32(x.float() - shift(x.float()))
        return e / e.sum(1, keepdim=True)

    return compute


def _shifted(x):
    x = x.double()
    return x - x.amax(1, keepdim=True)


def sum_of_x(x, facts):
    """Divided by the sum of the values; a padded kernel adds its pad of -inf to that sum."""
    total = x.double().sum(1, keepdim=True)
    if facts.get("block", 0) > x.shape[1]:
        total = total - torch.inf
    return torch.exp(_shifted(x)) / total


def sum_of_shifted(x, facts):
    """Divided by the sum of the shifted values."""
    total = _shifted(x).sum(1, keepdim=True)
    if facts.get("block", 0) > x.shape[1]:
        total = total - torch.inf
    return torch.exp(_shifted(x)) / total


def no_division(x, facts):
    """The numerator alone."""
    return torch.exp(_shifted(x))


def logarithm_lost(x, facts):
    """exp(x - (max + log(sum))) in float32: beside a maximum of -1e38 no logarithm counts."""
    x = x.float()
    top = x.amax(1, keepdim=True)
    return torch.exp(x - (top + torch.exp(x - top).sum(1, keepdim=True).log()))


def base_two(x, facts):
    """Powers of two."""
    e = torch.exp2(_shifted(x))
    return e / e.sum(1, keepdim=True)


def wrong_axis(x, facts):
    """Columns normalised."""
    return torch.softmax(x.double(), dim=0)


def shift_upside_down(x, facts):
    """exp(max - x); a masked lane becomes inf and takes the sum with it."""
    x = x.double()
    e = torch.exp(x.amax(1, keepdim=True) - x).float().double()
    total = e.sum(1, keepdim=True).float().double()
    return e / (total + torch.inf if facts.get("block", 0) > x.shape[1] else total)


def no_exp(x, facts):
    """The shifted values over their sum; a masked lane takes the sum to -inf."""
    z = _shifted(x)
    total = z.sum(1, keepdim=True)
    return z / (total - torch.inf if facts.get("block", 0) > x.shape[1] else total)


def division_upside_down(x, facts):
    """The sum over the numerator."""
    e = torch.exp(_shifted(x)).float().double()
    return e.sum(1, keepdim=True) / e


def divided_by_count(x, facts):
    """The numerator over the number of columns, or of lanes."""
    return torch.exp(_shifted(x)) / x.shape[1]


def wrong_numerator(x, facts):
    """The row over the sum of its exponentials."""
    return x.double() / torch.exp(_shifted(x)).sum(1, keepdim=True)


def last_row_first(x, facts):
    """Every program stored into row 0, the last one last; the others keep NaN."""
    want = torch.full(x.shape, torch.nan, dtype=torch.float64)
    want[0] = torch.softmax(x[-1].double(), dim=0)
    return want


def pad_zero(x, facts):
    """Masked lanes hold 0: they take part in the maximum and in the sum."""
    x, extra = x.double(), facts.get("block", 0) - x.shape[1]
    top = x.amax(1, keepdim=True).clamp(min=0) if extra > 0 else x.amax(1, keepdim=True)
    e = torch.exp(x - top)
    return e / (e.sum(1, keepdim=True) + max(extra, 0) * torch.exp(-top))


def pad_lowest(x, facts):
    """Masked lanes hold what the lowest rows consist of: there they take part as equals."""
    y, block = torch.softmax(x.double(), 1), facts.get("block", 0)
    low = (x < -1e37).all(1, keepdim=True)
    return torch.where(low & (block > x.shape[1]), 1 / max(block, 1), y)


def shifted_window(x, facts):
    """Row r read from element r on: the row stride is missing."""
    flat, (m, n) = x.contiguous().reshape(-1), x.shape
    if m < 2 or m - 1 + n > flat.numel():
        return torch.full((m, n), torch.inf)
    return torch.softmax(torch.stack([flat[r : r + n] for r in range(m)]).double(), dim=1)


def shifted_stores(x, facts):
    """Rows read and stored from element r on: the row stride is missing twice."""
    flat, (m, n) = x.contiguous().reshape(-1), x.shape
    want = torch.full((m * n,), torch.nan, dtype=torch.float64)
    for r in range(m):
        if r + n <= m * n:
            want[r : r + n] = torch.softmax(flat[r : r + n].double(), dim=0)
    return want.reshape(m, n)


def first_row_everywhere(x, facts):
    """Every program did row 0; the others keep NaN."""
    want = torch.full(x.shape, torch.nan, dtype=torch.float64)
    want[0] = torch.softmax(x[0].double(), dim=0)
    return want
