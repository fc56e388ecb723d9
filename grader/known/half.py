"""The mistakes of a softmax kernel whose input and output are float16 or bfloat16: rounded too early, or too often."""

from __future__ import annotations

import torch

from .. import detectors
from ..compare import HALF
from ..detectors import both, formula
from ..exercise import Answer, Case, Detector, Evidence


def _rounded(compute) -> Detector:
    """Matches when nearly all values are, to the last bit, those of compute(x, half) for one of the half precisions.

    Formulas that differ from the right one only in their roundings are too near to it for a tolerance to tell.
    """

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, got = case.facts.get("x"), detectors.output(case, evidence)
        if x is None or got is None or got.shape != x.shape or got.dtype not in HALF:
            return False
        right = _share(got, torch.softmax(x.double(), 1))
        shares = [_share(got, compute(x, half)) for half in HALF]
        return max(shares) >= 0.9 and max(shares) > right

    return detect


def _share(got: torch.Tensor, want: torch.Tensor) -> float:
    """How many of the values are the same once want is rounded to their dtype."""
    return (got == want.to(got.dtype)).double().mean().item()


def _terms(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x.float() - x.float().amax(1, keepdim=True))


def _total(terms: torch.Tensor) -> torch.Tensor:
    return terms.float().sum(1, keepdim=True)


def _rounded_difference(x, half):
    """The shift in low precision."""
    e = torch.exp((x - x.amax(1, keepdim=True)).to(half).float())
    return e / _total(e)


def _rounded_scaling(x, half):
    """x·log2(e) in low precision, then powers of two."""
    scaled = (x.float() * 1.4426950408889634).to(half).float()
    e = torch.exp2(scaled - scaled.amax(1, keepdim=True))
    return e / _total(e)


def _rounded_numerator(total):
    """Rounded terms above the line; total(terms, half) stands below it."""

    def compute(x, half):
        e = _terms(x)
        return e.to(half).float() / total(e, half)

    return compute


def _rounded_sum(total):
    """Exact terms above the line; total(terms, half) stands below it."""

    def compute(x, half):
        e = _terms(x)
        return e / total(e, half)

    return compute


def _of_rounded_terms(e, half):
    return _total(e.to(half))


def _rounded_total_of_rounded_terms(e, half):
    return _total(e.to(half)).to(half).float()


def _rounded_total(e, half):
    return _total(e).to(half).float()


def _another_dtype(x, half):
    """The result in one half precision, stored into the other."""
    return torch.softmax(x.double(), 1).to(half)


def _shared_with_the_pad(x, facts):
    """A row of the lowest values, every masked lane of which holds just such a value."""
    shared = torch.full(x.shape, 1 / facts["block"], dtype=torch.float64)
    return torch.where((x <= torch.finfo(torch.float16).min).all(), shared, torch.nan)


HALF_KERNEL = (
    ("computed-before-cast", _rounded(_rounded_difference)),
    ("computed-before-cast", _rounded(_rounded_scaling)),
    ("cast-back-early", _rounded(_rounded_numerator(lambda e, half: _total(e)))),
    ("cast-back-early", _rounded(_rounded_numerator(_of_rounded_terms))),
    ("cast-back-early", _rounded(_rounded_numerator(_rounded_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_rounded_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_rounded_total))),
    ("another-dtype", _rounded(_another_dtype)),
    ("pad-finite", both(detectors.ragged, formula(_shared_with_the_pad))),
)
