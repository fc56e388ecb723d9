"""Attention of one head, softmax(scale · q kᵀ) v: what is right, and how far float32 may be from it.

A case's facts hold q (M×d), k (N×d), v (N×dv), scale and causal.
"""

from __future__ import annotations

import numpy as np
import torch

INF = torch.inf
_EPS = torch.finfo(torch.float32).eps


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b, by NumPy: PyTorch wakes its threads for products this small, which takes long where the cores are busy."""
    with np.errstate(all="ignore"):
        return torch.from_numpy(a.numpy() @ b.numpy())


def hidden(m: int, n: int) -> torch.Tensor:
    """Which keys a query may not look at where masking is causal: those behind its own place, M×N."""
    return torch.arange(n) > torch.arange(m)[:, None]


def _scores(facts: dict) -> torch.Tensor:
    s = facts["scale"] * matmul(facts["q"].double(), facts["k"].double().t())
    return s.masked_fill(hidden(*s.shape), -INF) if facts["causal"] else s


def right(facts: dict) -> torch.Tensor:
    """softmax(scale · q kᵀ) v in float64, M×dv."""
    return matmul(torch.softmax(_scores(facts), 1), facts["v"].double())


def bound(facts: dict) -> torch.Tensor:
    """Absolute error that careful float32 arithmetic may have, M×dv.

    A dot product of d terms is off by up to d roundings of the sum of the terms' magnitudes, and what a score is off
    its weight is off relatively; so is the sum of the weights, by their average. Scaling by log2(e), the shift and the
    factors of the walk round a few times more, each relative to a score or to the maximum. The sums over N keys add a
    rounding a key. All of it is relative to the sum of weight · |v|: the terms of an output may cancel.
    """
    q, k, v = (facts[name].double() for name in "qkv")
    s = _scores(facts)
    p = torch.softmax(s, 1)
    magnitude = facts["scale"] * matmul(q.abs(), k.abs().t())
    off = (q.shape[1] + 12) * magnitude + 4 * s.amax(1, keepdim=True).abs()
    off = off + (p * off).sum(1, keepdim=True) + 16 + len(k)
    return _EPS * matmul(p * off, v.abs()) + 2 * torch.finfo(torch.float32).smallest_normal


def place(got: torch.Tensor, want: torch.Tensor, allowed: torch.Tensor) -> str | None:
    """None when got is want within what is allowed, else where it went wrong and by how much."""
    bad = ~((got.double() - want).abs() <= allowed)
    if not bad.any():
        return None
    query, column = (int(i) for i in bad.nonzero()[0])
    value, expected = got[query, column].item(), want[query, column].item()
    digits = 6 if abs(value - expected) < 0.01 * abs(expected) else 4
    count = f"{int(bad.sum())} of {bad.numel()} values differ"
    return f"query {query}, column {column} is {value:.{digits}g}, expected {expected:.{digits}g}; {count}"


def alike(got, want: torch.Tensor) -> bool:
    """Whether got looks like a formula's result, NaN and inf included; used to name mistakes, never to accept."""
    if not isinstance(got, torch.Tensor) or got.shape != want.shape:
        return False
    got, want = got.double(), want.double()
    size = torch.where(want.isfinite(), want.abs(), 0.0).amax(1, keepdim=True)
    same = (got - want).abs() <= 1e-3 * size + 1e-30
    return bool((same | (got == want) | (got.isnan() & want.isnan())).all())
