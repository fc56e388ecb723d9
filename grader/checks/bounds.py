"""How far a careful answer may be from float64: bounds that follow from the arithmetic and not from habit."""

from __future__ import annotations

import torch

HALF = (torch.float16, torch.bfloat16)


def softmax_bound(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Relative error a careful softmax of x may have, shape of x, float64.

    A rounding of x - max by one part in 2^24 changes exp of it by |x - max| parts in 2^24, so the bound grows with the
    distance to the maximum (and with the maximum itself, for those who scale by log2(e) before they subtract). The sum
    of N terms adds about sqrt(N) roundings. A half-precision output is that result rounded once, to nearest: half a
    unit in the last place, which is at most eps / 2 of the value. There is no room for a second rounding.
    """
    x = x.double()
    finite = torch.where(x.isinf(), 0.0, x)
    top = finite.amax(dim=-1, keepdim=True)
    distance = (top - finite) + top.abs().clamp(max=1e4)  # farther out, a scaled exponent is nothing to rely on
    return least_bound(x.shape[-1], dtype) + 4 * distance * torch.finfo(torch.float32).eps


def least_bound(n: int, dtype: torch.dtype) -> float:
    """The bound where a row's largest number is 0, at that number."""
    return (16 + n**0.5) * torch.finfo(torch.float32).eps + torch.finfo(dtype).eps / 2 * (dtype in HALF)


def softmax_slack(dtype: torch.dtype) -> float:
    """Absolute error that a softmax output of this dtype may have besides, where it has few digits left or none.

    Below the smallest normal number a result has no digits left in float32 (and bfloat16, which has float32's range),
    and a GPU may flush it to 0; no 1/N comes near 1e-38. float16 is normal only down to 6e-5, more than 1/N for
    N = 32768: zeros would pass. Its subnormals are kept by GPUs and lie eps times that number apart, so rounding costs
    half that distance.
    """
    kind = torch.finfo(dtype)
    return kind.smallest_normal * kind.eps if dtype == torch.float16 else 2 * kind.smallest_normal


def gradient_bound(y: torch.Tensor, dy: torch.Tensor, dtype: torch.dtype, off: torch.Tensor | float = 0.0):
    """Absolute error that a careful y·(dy - Σ y·dy) may have when computed in dtype, shape of y, float64.

    The difference may cancel, so nothing holds relative to dx itself. But each rounding is relative to something that
    goes in: to y·dy, or to y times a sum whose terms have the size of |y·dy|; N terms add about sqrt(N) roundings. off
    is the relative error of y, where y had to be computed: y stands once before the difference and once in each term.
    """
    y, dy = y.double(), dy.double().abs()
    total = (y * dy).sum(-1, keepdim=True)
    steps = 16 + y.shape[-1] ** 0.5
    kind = torch.finfo(dtype)
    bound = (steps * kind.eps + off) * y * (dy + total) + y * (y * dy * off).sum(-1, keepdim=True)
    return bound + 2 * kind.smallest_normal * (1 + dy + total)  # a GPU may flush what lies below
