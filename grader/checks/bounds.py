"""Bounds on the rounding error of careful arithmetic, derived from its operations.

The sums use the probabilistic bound of √N roundings for N terms (Higham and Mary, "A new approach to probabilistic
rounding error analysis", 2019).
"""

from __future__ import annotations

import torch

HALF = (torch.float16, torch.bfloat16)


def softmax_bound(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The relative error that a careful softmax of x may have in an output of this dtype: float64, the shape of x.

    A relative rounding error of 2^-24 in x - max changes its exponential by |x - max| · 2^-24, so the bound grows with
    the distance to the maximum. It grows with the maximum as well, because an answer may scale by log2(e) before it
    subtracts. The sum of N terms adds about √N roundings. A half-precision output is that result rounded once, to
    nearest: at most eps / 2 of the value. The bound has no room for a second rounding.
    """
    x = x.double()
    top = x.amax(dim=-1, keepdim=True)
    top = torch.where(top.isinf(), 0.0, top)
    finite = torch.where(x.isinf(), top, x)  # the exponential of -inf has no error
    distance = (top - finite) + top.abs().clamp(max=1e4)  # beyond 1e4 a scaled exponent is no careful way
    return least_bound(x.shape[-1], dtype) + 4 * distance * torch.finfo(torch.float32).eps


def least_bound(n: int, dtype: torch.dtype) -> float:
    """The relative bound for a row of n values at its maximum, where that maximum is 0."""
    return (16 + n**0.5) * torch.finfo(torch.float32).eps + torch.finfo(dtype).eps / 2 * (dtype in HALF)


def softmax_slack(dtype: torch.dtype) -> float:
    """The absolute error that a softmax output of this dtype may have in addition, for values with few digits.

    Below the smallest normal number a float32 or bfloat16 result has lost its digits, and a GPU may flush it to 0. No
    1/N comes near that number, 1e-38. The smallest normal float16 is 6e-5, more than 1/N for N = 32768: with it as the
    slack, zeros would pass. GPUs keep the subnormal numbers of float16, which are eps times 6e-5 apart, and rounding
    costs half of that distance.
    """
    kind = torch.finfo(dtype)
    return kind.smallest_normal * kind.eps if dtype == torch.float16 else 2 * kind.smallest_normal


def gradient_bound(y: torch.Tensor, dy: torch.Tensor, dtype: torch.dtype, off: torch.Tensor | float = 0.0):
    """The absolute error that a careful y · (dy - Σ y · dy) may have when computed in dtype: float64, the shape of y.

    The difference may cancel, so there is no bound relative to the result. But each rounding error is relative to an
    operand: to y · dy, or to y times a sum whose terms have the size |y · dy|. N terms add about √N roundings.

    off: the relative error of y, where an answer computes y. y is a factor of the difference and of each term.
    """
    y, dy = y.double(), dy.double().abs()
    total = (y * dy).sum(-1, keepdim=True)
    steps = 16 + y.shape[-1] ** 0.5
    kind = torch.finfo(dtype)
    bound = (steps * kind.eps + off) * y * (dy + total) + y * (y * dy * off).sum(-1, keepdim=True)
    return bound + 2 * kind.smallest_normal * (1 + dy + total)  # a GPU may flush smaller numbers to 0
