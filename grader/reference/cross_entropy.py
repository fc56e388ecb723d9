"""Cross-entropy of the rows of a matrix of logits: what is right, in float64, and what careful arithmetic may miss.

The loss of a row is lse - x[target], with lse the log-sum-exp of its logits. The gradient of a mean of such losses is
scale · (p - onehot), with p = exp(x - lse), and 0 in a row that does not count. x: M×N logits; target: M columns of
int64, or `ignore`, which need not be a column; scale: a number.
"""

from __future__ import annotations

import torch

from ..checks import bounds, compare
from ..sentence import said

IGNORED = -100  # as in PyTorch
_EPS = torch.finfo(torch.float32).eps


def losses(x: torch.Tensor, target: torch.Tensor, ignore: int) -> torch.Tensor:
    """The loss of each row, float64; 0 for a row that does not count."""
    return torch.nn.functional.cross_entropy(x.double(), target, ignore_index=ignore, reduction="none")


def mean(x: torch.Tensor, target: torch.Tensor, ignore: int) -> torch.Tensor:
    """The mean of the losses that count, float64 of no dimensions; NaN where none does."""
    return torch.nn.functional.cross_entropy(x.double(), target, ignore_index=ignore)


def lse(x: torch.Tensor) -> torch.Tensor:
    """The log-sum-exp of each row, float64."""
    return torch.logsumexp(x.double(), 1)


def onehot(x: torch.Tensor, target: torch.Tensor, ignore: int) -> torch.Tensor:
    """1 at the target of each row that counts, else 0; float64 of the shape of x."""
    return ((torch.arange(x.shape[1], device=x.device) == target[:, None]) & (target != ignore)[:, None]).double()


def gradient(x: torch.Tensor, target: torch.Tensor, ignore: int, scale: float) -> torch.Tensor:
    """scale · (p - onehot), float64; 0 in rows that do not count."""
    p = torch.softmax(x.double(), 1)
    return scale * (target != ignore)[:, None] * (p - onehot(x, target, ignore))


def size(x: torch.Tensor) -> torch.Tensor:
    """The largest finite |logit| of each row, float64, plus 1: sums and differences round relative to it."""
    return 1 + x.double().nan_to_num(neginf=0.0).abs().amax(1)


def losses_bound(x: torch.Tensor) -> torch.Tensor:
    """The absolute error of a careful loss of each row: some roundings of the logits, and those of a sum of N terms."""
    return (8 * size(x) + x.shape[1] ** 0.5) * _EPS


def lse_bound(x: torch.Tensor) -> torch.Tensor:
    """The same for lse."""
    return losses_bound(x)


def gradient_bound(x: torch.Tensor, scale: float) -> torch.Tensor:
    """The absolute error of a careful gradient of each element, float64 of the shape of x.

    p comes from an lse that was rounded to float32, so its relative error is that of a rounding of the largest logit.
    A result in half precision is rounded once more, relative to itself: at most scale · (p, or 1 at the target).
    """
    p = torch.softmax(x.double(), 1)
    off = bounds.softmax_bound(x, torch.float32) + 4 * size(x)[:, None] * _EPS
    one = 4 * _EPS  # of p - 1 at the target, where p may be near 1
    return abs(scale) * (p * off + one * p) + 2 * torch.finfo(torch.float32).smallest_normal


def wrong_row(name: str, got: torch.Tensor, want: torch.Tensor, allowed: torch.Tensor) -> str | None:
    """None where got (M numbers) is within `allowed` of want, else a sentence about the first row that is not.

    name: of the numbers. A row whose wanted number is NaN may have any.
    """
    if wrong_kind := compare.kind(got, want.float()):
        return wrong_kind
    good = ((got.double() - want).abs() <= allowed + _EPS * want.abs()) | (got.double() == want) | want.isnan()
    if good.all():
        return None
    row = int((~good).nonzero()[0])
    return said(
        "the {name} of row {row} {is_now}, expected {expected}; {count} of {all} differ",
        name=name,
        row=row,
        is_now=compare.is_now(got[row], compare.apart(got[row].item(), want[row].item(), 6)),
        expected=f"{want[row].item():.6g}",
        count=int((~good).sum()),
        all=len(got),
    )


def wrong_gradient(got, x: torch.Tensor, target: torch.Tensor, ignore: int, scale: float) -> str | None:
    """None where got is the gradient, of the shape and dtype of x, else a sentence about the first wrong element."""
    want = gradient(x, target, ignore, scale)
    relative = torch.finfo(x.dtype).eps if x.dtype in bounds.HALF else 4 * _EPS
    allowed = gradient_bound(x, scale) + bounds.softmax_slack(x.dtype)
    return compare.tensor(got, want.to(x.dtype), relative, allowed)
