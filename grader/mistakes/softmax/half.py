"""Mistakes of a softmax kernel with float16 or bfloat16 input and output: early, repeated or missing conversions."""

from __future__ import annotations

import torch

from ...checks import syntax
from ...checks.bounds import HALF
from ...spec import Answer, Case, Detector, Evidence
from .. import detectors
from ..detectors import both, formula, written
from ..mistake import Mistake

MISTAKES = [
    Mistake(
        "bf16-arithmetic",
        "bfloat16 arithmetic keeps 8 significant bits on a GPU; interpreted, it would compute with the bit patterns.",
        "In which dtype should the differences, the exponentials and the sum be, and from which line on?",
    ),
    Mistake(
        "half-exp",
        "tl.exp takes float32 and float64, and this block is still in half precision.",
        "Which dtype does the block have, and in which line could it change?",
    ),
    Mistake(
        "computed-before-cast",
        "Something was computed in half precision before the cast: its rounding error is multiplied on its way "
        "through exp.",
        "Which operation stands between your load and your cast?",
    ),
    Mistake(
        "cast-back-early",
        "The numerator was rounded to half precision, and the quotient once more.",
        "How many roundings to half precision does a value meet on its way, and how many must it?",
    ),
    Mistake(
        "low-precision-sum",
        "The sum of the row, or 1 over it, was rounded to half precision, or made of terms that were.",
        "Which dtype do the terms of your sum have, and the sum itself?",
    ),
    Mistake(
        "another-dtype",
        "The result went through the other half precision before it was stored.",
        "Who knows which dtype the output has: the kernel, or its pointer?",
    ),
    Mistake(
        "row-in-another-dtype",
        "The row went through the other half precision: bfloat16's range does not fit into float16, and float16's "
        "digits do not fit into bfloat16.",
        "Which dtype has the range of both and the digits of both?",
    ),
    Mistake(
        "clamped",
        "Values that differ came out alike, as if all beyond some border were the same.",
        "How large can a bfloat16 be, and which line of yours does not let it?",
    ),
]


def _rounded(compute) -> Detector:
    """Matches when at least 90 % of the values equal those of compute(x, half) bit for bit, for one of the half dtypes.

    Such a formula differs from the right one in its roundings alone, so no tolerance separates the two. The detector
    also compares the share of values that equal the right ones: that share must be smaller.
    """

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        x, got = case.facts.get("x"), detectors.output(case, evidence)
        if x is None or got is None or got.shape != x.shape or got.dtype not in HALF:
            return False
        right = _share_of_equal(got, torch.softmax(x.double(), 1))
        shares = [_share_of_equal(got, compute(x, half)) for half in HALF]
        return max(shares) >= 0.9 and max(shares) > right

    return detect


def _share_of_equal(got: torch.Tensor, want: torch.Tensor) -> float:
    """The share of values of `got` that equal `want` rounded to the dtype of `got`."""
    return (got == want.to(got.dtype)).double().mean().item()


def _terms(x: torch.Tensor) -> torch.Tensor:
    """exp(x - max) in float32."""
    return torch.exp(x.float() - x.float().amax(1, keepdim=True))


def _total(terms: torch.Tensor) -> torch.Tensor:
    """The sum of each row in float32, shape (M, 1)."""
    return terms.float().sum(1, keepdim=True)


def _input_rounded(x, half):
    """The input is converted to `half` first."""
    return torch.softmax(x.to(half).double(), 1)


def _rounded_difference(x, half):
    """The difference to the maximum is rounded to `half`."""
    e = torch.exp((x - x.amax(1, keepdim=True)).to(half).float())
    return e / _total(e)


def _rounded_scaling(x, half):
    """x · log2(e) is rounded to `half`, then powers of two are taken."""
    scaled = (x.float() * 1.4426950408889634).to(half).float()
    e = torch.exp2(scaled - scaled.amax(1, keepdim=True))
    return e / _total(e)


def _rounded_numerator(total):
    """The terms are rounded to `half` and divided by total(terms, half)."""

    def compute(x, half):
        e = _terms(x)
        return e.to(half).float() / total(e, half)

    return compute


def _rounded_sum(total):
    """The terms in float32 are divided by total(terms, half)."""

    def compute(x, half):
        e = _terms(x)
        return e / total(e, half)

    return compute


def _exact_total(e, half):
    """The sum in float32 of the terms in float32."""
    return _total(e)


def _total_of_rounded_terms(e, half):
    """The sum in float32 of terms in `half`."""
    return _total(e.to(half))


def _rounded_total_of_rounded_terms(e, half):
    """The sum of terms in `half`, rounded to `half`."""
    return _total(e.to(half)).to(half).float()


def _rounded_total(e, half):
    """The sum of terms in float32, rounded to `half`."""
    return _total(e).to(half).float()


def _rounded_reciprocal(x, half):
    """The terms in float32 are multiplied by 1 / sum, rounded to `half`."""
    e = _terms(x)
    return e * (1 / _total(e)).to(half).float()


def _another_dtype(x, half):
    """The result is rounded to `half` before the store rounds it to the dtype of the output."""
    return torch.softmax(x.double(), 1).to(half)


def _through_float16(x, facts):
    """The row is converted to float16, where values beyond 65504 are infinite."""
    return torch.softmax(x.to(torch.float16).double(), 1)


def _lowest_rows(x: torch.Tensor) -> torch.Tensor:
    """The rows without a value above the lowest float16, shape (M, 1)."""
    return (x <= torch.finfo(torch.float16).min).all(1, keepdim=True)


def _pad_equal_to_the_row(x, facts):
    """In the lowest rows the pad equals the values, so each lane gets the same share."""
    shared = torch.full(x.shape, 1 / facts["block"], dtype=torch.float64)
    return torch.where(_lowest_rows(x), shared, torch.softmax(x.double(), 1))


def _pad_above_the_row(x, facts):
    """In the lowest rows the pad is above the values, so each value gets the share 0."""
    return torch.where(_lowest_rows(x), 0.0, torch.softmax(x.double(), 1))


@Detector
def _clamped(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """Several values share the largest output of a row, and the right output of one of them is close to 0.

    Only inputs with a value beyond the range of float16 count.
    """
    x, got = case.facts.get("x"), detectors.output(case, evidence)
    if x is None or got is None or got.shape != x.shape or not bool((x.abs() > 65504).any()):
        return False
    want = torch.softmax(x.double(), 1)
    alike = (got > 0) & (got == got.amax(1, keepdim=True))
    return bool((alike & (want < 1e-6)).any()) and bool((alike.sum(1) > 1).any())


def _nan_where_padded(x, facts):
    """The pad is inf or NaN: only rows without a masked lane hold numbers."""
    return torch.softmax(x.double(), 1) if facts["block"] == x.shape[1] else torch.full(x.shape, torch.nan)


HALF_KERNEL = (
    ("computed-before-cast", _rounded(_rounded_difference)),
    ("computed-before-cast", _rounded(_rounded_scaling)),
    ("cast-back-early", _rounded(_rounded_numerator(_exact_total))),
    ("cast-back-early", _rounded(_rounded_numerator(_total_of_rounded_terms))),
    ("cast-back-early", _rounded(_rounded_numerator(_rounded_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_rounded_total_of_rounded_terms))),
    ("low-precision-sum", _rounded(_rounded_sum(_rounded_total))),
    ("low-precision-sum", _rounded(_rounded_reciprocal)),
    ("another-dtype", _rounded(_another_dtype)),
    ("row-in-another-dtype", formula(_through_float16)),
    ("row-in-another-dtype", _rounded(_input_rounded)),
    ("no-pad", both(written(syntax.load_without_other), detectors.all_nan)),
    ("pad-wins", formula(_nan_where_padded)),
    ("pad-finite", both(detectors.ragged, formula(_pad_equal_to_the_row))),
    ("pad-finite", both(detectors.ragged, formula(_pad_above_the_row))),
    ("clamped", _clamped),
)
