"""The mistakes of a softmax kernel whose input and output are float16 or bfloat16: rounded too early, or too often."""

from __future__ import annotations

import torch

from ...checks import syntax
from ...checks.bounds import HALF
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, written


def _rounded(compute) -> Detector:
    """Matches when nearly all values are, to the last bit, those of compute(x, half) for one of the half precisions.

    Formulas that differ from the right one only in their roundings are too near to it for a tolerance to tell.
    """

    @Detector
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


def _input_rounded(x, half):
    """The row in the other half precision."""
    return torch.softmax(x.to(half).double(), 1)


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


def _rounded_reciprocal(x, half):
    """The terms times one over their sum, which is rounded."""
    e = _terms(x)
    return e * (1 / _total(e)).to(half).float()


def _another_dtype(x, half):
    """The result in one half precision, stored into the other."""
    return torch.softmax(x.double(), 1).to(half)


def _through_float16(x, facts):
    """A bfloat16 row in float16: beyond 65504 that is infinite."""
    return torch.softmax(x.to(torch.float16).double(), 1)


def _low(x: torch.Tensor) -> torch.Tensor:
    return (x <= torch.finfo(torch.float16).min).all(1, keepdim=True)


def _shared_with_the_pad(x, facts):
    """A row of the lowest values, every masked lane of which holds just such a value."""
    shared = torch.full(x.shape, 1 / facts["block"], dtype=torch.float64)
    return torch.where(_low(x), shared, torch.softmax(x.double(), 1))


def _beaten_by_the_pad(x, facts):
    """A row of the lowest values, every masked lane of which holds a larger one."""
    return torch.where(_low(x), 0.0, torch.softmax(x.double(), 1))


@Detector
def _clamped(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Of the values that only bfloat16 holds, several different ones came out as if they were the same."""
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape or not bool((x.abs() > 65504).any()):
        return False
    want = torch.softmax(x.double(), 1)
    alike = (got > 0) & (got == got.amax(1, keepdim=True))  # these share the row
    return bool((alike & (want < 1e-6)).any()) and bool((alike.sum(1) > 1).any())


def _no_number_in_padded_rows(x, facts):
    """A pad of inf or NaN."""
    return torch.softmax(x.double(), 1) if facts["block"] == x.shape[1] else torch.full(x.shape, torch.nan)


HALF_KERNEL = (
    ("computed-before-cast", _rounded(_rounded_difference)),
    ("computed-before-cast", _rounded(_rounded_scaling)),
    ("cast-back-early", _rounded(_rounded_numerator(lambda e, half: _total(e)))),
    ("cast-back-early", _rounded(_rounded_numerator(_of_rounded_terms))),
    ("cast-back-early", _rounded(_rounded_numerator(_rounded_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_rounded_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_rounded_total))),
    ("low-precision-sum", _rounded(_rounded_reciprocal)),
    ("another-dtype", _rounded(_another_dtype)),
    ("row-in-another-dtype", formula(_through_float16)),
    ("row-in-another-dtype", _rounded(_input_rounded)),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
    ("pad-wins", formula(_no_number_in_padded_rows)),
    ("pad-finite", both(detectors.ragged, formula(_shared_with_the_pad))),
    ("pad-finite", both(detectors.ragged, formula(_beaten_by_the_pad))),
    ("clamped", _clamped),
)
