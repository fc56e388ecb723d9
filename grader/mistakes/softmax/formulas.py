"""Known wrong softmaxes, computed in PyTorch. An answer with the same numbers has made the mistake of the formula.

Each formula takes x of shape (M, N) and the facts of a case, and returns a tensor of shape (M, N). facts["block"] is
the number of lanes of a kernel; without a kernel it is absent. The arithmetic is float32 where overflow matters, and
float64 elsewhere.
"""

from __future__ import annotations

import torch


def _exp32(x: torch.Tensor) -> torch.Tensor:
    """exp with the range of float32, as float64: inf above 88.7, 0 far below."""
    return torch.exp(x.float()).double()


def no_max(x, facts):
    """exp(x) / Σ exp(x), without a shift."""
    e = _exp32(x)
    return e / e.sum(1, keepdim=True).float().double()


def shifted_by(shift):
    """A softmax with another shift than the row maximum; shift(x) has shape (M, 1) or ()."""

    def compute(x, facts):
        e = _exp32(x.float() - shift(x.float()))
        return e / e.sum(1, keepdim=True)

    return compute


def difference_over_sum(x, facts):
    """The differences to the row maximum, over the sum of their exponentials."""
    shifted = x.float() - x.float().amax(1, keepdim=True)
    return shifted / _exp32(shifted).sum(1, keepdim=True)


def sum_of_the_matrix(shift):
    """The numerators, with a shift as in `shifted_by`, over the sum of all of them."""

    def compute(x, facts):
        e = _exp32(x.float() - shift(x.float()))
        return e / e.sum().float().double()

    return compute


def _shifted(x):
    """x minus its row maxima, float64."""
    x = x.double()
    return x - x.amax(1, keepdim=True)


def _padded(total, pad, x, facts):
    """A sum, to which the masked lanes of a kernel add `pad` where its block is wider than the row."""
    return total + pad if facts.get("block", 0) > x.shape[1] else total


def sum_of_x(x, facts):
    """The numerator over the sum of the values. In a padded kernel the pad of -inf is one of them."""
    return torch.exp(_shifted(x)) / _padded(x.double().sum(1, keepdim=True), -torch.inf, x, facts)


def sum_of_shifted(x, facts):
    """The numerator over the sum of the shifted values. In a padded kernel the pad of -inf is one of them."""
    return torch.exp(_shifted(x)) / _padded(_shifted(x).sum(1, keepdim=True), -torch.inf, x, facts)


def no_division(x, facts):
    """The numerator alone."""
    return torch.exp(_shifted(x))


def logarithm_lost(x, facts):
    """exp(x - (max + log(sum))) in float32: a maximum of -1e38 absorbs the logarithm."""
    x = x.float()
    top = x.amax(1, keepdim=True)
    return torch.exp(x - (top + torch.exp(x - top).sum(1, keepdim=True).log()))


def base_two(x, facts):
    """A softmax with powers of two."""
    e = torch.exp2(_shifted(x))
    return e / e.sum(1, keepdim=True)


def wrong_axis(x, facts):
    """The softmax of each column."""
    return torch.softmax(x.double(), dim=0)


def shift_upside_down(x, facts):
    """exp(max - x) over its sum. A masked lane holds exp(inf) and makes the sum infinite."""
    x = x.double()
    e = torch.exp(x.amax(1, keepdim=True) - x).float().double()
    return e / _padded(e.sum(1, keepdim=True).float().double(), torch.inf, x, facts)


def no_exp(x, facts):
    """The shifted values over their sum. A masked lane makes the sum -inf."""
    z = _shifted(x)
    return z / _padded(z.sum(1, keepdim=True), -torch.inf, x, facts)


def division_upside_down(x, facts):
    """The sum over the numerator."""
    e = torch.exp(_shifted(x)).float().double()
    return e.sum(1, keepdim=True) / e


def divided_by_count(x, facts):
    """The numerator over the number of columns."""
    return torch.exp(_shifted(x)) / x.shape[1]


def divided_by_mean(x, facts):
    """The numerators over their mean."""
    return x.shape[1] * torch.softmax(x, 1)


def sum_of_columns(x, facts):
    """The numerators over the sums of their columns."""
    numerator = torch.exp(_shifted(x))
    return numerator / numerator.sum(0, keepdim=True)


def wrong_numerator(x, facts):
    """The values over the sum of the exponentials."""
    return x.double() / torch.exp(_shifted(x)).sum(1, keepdim=True)


def pad_zero(x, facts):
    """Masked lanes hold 0: they are part of the maximum and of the sum."""
    x, extra = x.double(), facts.get("block", 0) - x.shape[1]
    top = x.amax(1, keepdim=True).clamp(min=0) if extra > 0 else x.amax(1, keepdim=True)
    e = torch.exp(x - top)
    return e / (e.sum(1, keepdim=True) + max(extra, 0) * torch.exp(-top))


def pad_lowest(x, facts):
    """Masked lanes hold the lowest float32: they get a share of each row that holds nothing above it."""
    y, masked = torch.softmax(x.double(), 1), max(facts.get("block", 0) - x.shape[1], 0)
    low = x == torch.finfo(torch.float32).min
    return torch.where(x.amax(1, keepdim=True) == torch.finfo(torch.float32).min, low / (low.sum(1, True) + masked), y)


def shifted_window(x, facts):
    """Row r is read from element r on: the row stride is missing in the load."""
    flat, (m, n) = x.contiguous().reshape(-1), x.shape
    if m < 2 or m - 1 + n > flat.numel():
        return torch.full((m, n), torch.inf)
    return torch.softmax(torch.stack([flat[r : r + n] for r in range(m)]).double(), dim=1)


def shifted_stores(x, facts):
    """Row r is read and stored from element r on: the row stride is missing in the load and in the store."""
    flat, (m, n) = x.contiguous().reshape(-1), x.shape
    want = torch.full((m * n,), torch.nan, dtype=torch.float64)
    for r in range(m):
        if r + n <= m * n:
            want[r : r + n] = torch.softmax(flat[r : r + n].double(), dim=0)
    return want.reshape(m, n)


def first_row_everywhere(x, facts):
    """Every program computes and stores row 0; the other rows keep NaN."""
    want = torch.full(x.shape, torch.nan, dtype=torch.float64)
    want[0] = torch.softmax(x[0].double(), dim=0)
    return want


def row_sum_everywhere(x, facts):
    """Each element is the sum of its row's numerators."""
    return torch.exp(_shifted(x)).sum(1, keepdim=True).expand(x.shape)


def times_the_sum(x, facts):
    """The numerators times their sum."""
    e = torch.exp(_shifted(x))
    return e * e.sum(1, keepdim=True)


def ones(x, facts):
    """1 everywhere."""
    return torch.ones_like(x, dtype=torch.float64)


def one_apart(x, facts):
    """Row r is stored from element r on, each program after the one before it: the store's row stride is missing."""
    want = torch.full((x.numel(),), torch.nan, dtype=torch.float64)
    for r, row in enumerate(torch.softmax(x.double(), 1)):
        want[r : r + len(row)] = row[: x.numel() - r]
    return want.reshape(x.shape)


def same_row(which):
    """The softmax of the row of this number in place of every other one."""

    def compute(x, facts):
        return torch.softmax(x[which : which + 1].double(), 1).expand(x.shape) if which < len(x) else x[:0]

    return compute


def from_elements_on(begin):
    """Row r is read from element begin(r, stride) on."""

    def compute(x, facts):
        flat, (m, n), stride = x.contiguous().reshape(-1), x.shape, facts.get("x_stride")
        places = [begin(r, stride) for r in range(m)] if stride == n else []
        if not places or max(places) + n > m * n:
            return x[:0]
        return torch.stack([torch.softmax(flat[at : at + n].double(), 0) for at in places])

    return compute
