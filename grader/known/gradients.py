"""Known wrong gradients of a softmax, and the other mistakes of its backward kernel.

The right one is y·(dy - Σ y·dy), row by row. A case's facts hold y, dy, want, and x: the input of the softmax where
there was one, else y once more. Those of a kernel also hold block, and strides: elements between rows of dx, y and dy.
"""

from __future__ import annotations

import torch

from .. import detectors
from ..compare import softmax_gradient
from ..detectors import both, outside, past_the_row, written
from ..exercise import Answer, Case, Detector, Evidence
from ..syntax import load_without_other
from .softmax import KERNEL


def gradient(compute) -> Detector:
    """Matches when the answer's numbers are those of a known wrong compute(y, dy, facts), in float64.

    Like detectors.formula, with room for the cancellation in a difference.
    """

    def alike(got: torch.Tensor, want: torch.Tensor, facts: dict) -> bool:
        if got.shape != want.shape:
            return False
        y, dy, got, want = facts["y"].double(), facts["dy"].double().abs(), got.double(), want.double()
        slack = (1e-5 * y + 1e-7) * (dy + _sum(y * dy))
        same = ((got - want).abs() <= 1e-4 * want.abs() + slack) & want.isfinite()
        return bool((same | (got == want) | (got.isnan() & want.isnan())).all())

    def wrong(facts: dict) -> torch.Tensor:
        return compute(facts["y"].double(), facts["dy"].double(), facts)

    def fits(case: Case, evidence: Evidence) -> bool:
        facts, got = case.facts, detectors.output(case, evidence)
        return "dy" not in facts or got is None or alike(got, wrong(facts), facts)

    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        facts, got = case.facts, detectors.output(case, evidence)
        if "dy" not in facts or got is None or not alike(got, wrong(facts), facts):
            return False
        # Where the wrong formula happens to be right (one column, say), agreeing with it means nothing.
        return not alike(facts["want"], wrong(facts), facts)

    detect.fits = fits
    return detect


def _with(total) -> Detector:
    """y·(dy - total(y, dy)), where something else stands in place of the row's sum of y·dy."""
    return gradient(lambda y, dy, facts: y * (dy - total(y, dy)))


def _sum(t: torch.Tensor) -> torch.Tensor:
    return t.sum(1, keepdim=True)


GRADIENT = (
    ("gradient-zero", gradient(lambda y, dy, facts: torch.zeros_like(y))),
    ("dy-passed-on", gradient(lambda y, dy, facts: dy)),
    ("dot-missing", gradient(lambda y, dy, facts: y * dy)),
    ("diagonal-only", gradient(lambda y, dy, facts: y * (1 - y) * dy)),
    ("factor-missing", gradient(lambda y, dy, facts: dy - _sum(y * dy))),
    ("factor-missing", gradient(lambda y, dy, facts: y * dy - _sum(y * dy))),
    ("y-and-dy-swapped", gradient(lambda y, dy, facts: dy * (y - _sum(y * dy)))),
    ("dot-averaged", _with(lambda y, dy: (y * dy).mean(1, keepdim=True))),
    ("dot-averaged", gradient(lambda y, dy, facts: y * (dy - _sum(y * dy) / facts.get("block", torch.nan)))),
    ("dot-along-columns", _with(lambda y, dy: (y * dy).sum(0, keepdim=True))),
    ("dot-of-the-matrix", _with(lambda y, dy: (y * dy).sum())),
    ("dot-incomplete", _with(lambda y, dy: _sum(dy))),
    ("dot-incomplete", _with(lambda y, dy: dy.mean(1, keepdim=True))),
    ("dot-incomplete", _with(lambda y, dy: _sum(y))),
    ("factor-twice", _with(lambda y, dy: _sum(y * dy * dy))),
    ("factor-twice", _with(lambda y, dy: _sum(y * y * dy))),
    ("factor-twice", gradient(lambda y, dy, facts: y * softmax_gradient(y, dy))),
    ("dot-added", _with(lambda y, dy: -_sum(y * dy))),
    ("sign-flipped", gradient(lambda y, dy, facts: -softmax_gradient(y, dy))),
)


def whole_jacobian(y: torch.Tensor, evidence: Evidence) -> str | None:
    """A sentence when so much was written that it must have been N numbers for each output; only long rows tell."""
    times = evidence.written / y.numel()
    if y.shape[1] < 100 or times < y.shape[1]:
        return None
    return f"right numbers, but on the way it writes {times:.0f} times as many elements as the matrix has"


# ---- the kernel


def _right_stride(where: dict, facts: dict) -> int | None:
    return facts.get("strides", {}).get(str(where.get("tensor")).removesuffix("_ptr"))


def _rows(widths) -> Detector:
    """Row r of one of the three tensors was looked for r times a wrong stride in; widths(facts, right) yields those."""

    def test(where: dict, facts: dict) -> bool:
        right, program = _right_stride(where, facts), where["program"][0]
        if right is None or program == 0:
            return False
        return any(width != right and where["first"] == program * width for width in widths(facts, right))

    ways = [outside(op, test) for op in ("load", "store")]
    return lambda case, evidence, answer: any(detect(case, evidence, answer) for detect in ways)


def _shifted(t: torch.Tensor, facts: dict) -> torch.Tensor:
    """Row r of a matrix without gaps, read from element r on; nothing where that leaves it."""
    (m, n), flat = t.shape, t.reshape(-1)
    if set(facts.get("strides", {}).values()) != {n} or m - 1 + n > flat.numel():
        return t[:0]
    return torch.stack([flat[r : r + n] for r in range(m)])


def _reads(y_rows, dy_rows) -> Detector:
    """The right gradient of the wrong rows: each gets a matrix and the facts, and gives what was read of it."""

    def compute(y, dy, facts):
        y, dy = y_rows(y, facts), dy_rows(dy, facts)
        return softmax_gradient(y, dy) if len(y) == len(dy) else y[:0]

    return gradient(compute)


def _as_it_is(t, facts):
    return t


def _first_row(t, facts):
    return t[:1].expand_as(t)


def _all_in_row_zero(y, dy, facts):
    """Every program did row 0; the others keep NaN."""
    want = torch.full(y.shape, torch.nan, dtype=torch.float64)
    want[0] = softmax_gradient(y, dy)[0]
    return want


def _shifted_stores(y, dy, facts):
    """Rows read and stored from element r on."""
    y, dy = _shifted(y, facts), _shifted(dy, facts)
    if not len(y):
        return y
    (m, n), dx = y.shape, softmax_gradient(y, dy)
    want = torch.full((m * n,), torch.nan, dtype=torch.float64)
    for r in range(m):
        want[r : r + n] = dx[r][: m * n - r]
    return want.reshape(m, n)


def _pads(y_pad: float, dy_pad: float) -> Detector:
    """Masked lanes hold these, and their products joined the sum."""

    def compute(y, dy, facts):
        extra = facts.get("block", 0) - y.shape[1]
        return y * (dy - _sum(y * dy) - (extra * y_pad * dy_pad if extra > 0 else 0.0))

    return gradient(compute)


def _nothing_finite(case: Case, evidence: Evidence, answer: Answer) -> bool:
    got = detectors.output(case, evidence)
    return got is not None and not bool(got.isfinite().any())


def _only_roughly(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """float64 with no more digits than float32 has."""
    got, want = detectors.output(case, evidence), case.facts.get("want")
    if want is None or got is None or got.dtype != torch.float64 or got.shape != want.shape:
        return False
    return torch.allclose(got, want, rtol=1e-3, atol=1e-5)


GRADIENT_KERNEL = (
    *KERNEL,
    ("stride-in-bytes", _rows(lambda f, right: [4 * right])),
    ("stride-of-another", _rows(lambda f, right: f["strides"].values())),
    ("rows-assumed-adjacent", _rows(lambda f, right: [f["y"].shape[1]])),
    ("block-for-stride", _rows(lambda f, right: [f["block"]])),
    ("no-store-mask", outside("store", past_the_row)),
    ("no-load-mask", outside("load", past_the_row)),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("float32-in-float64", _only_roughly),
    ("no-pad", both(written(load_without_other), detectors.ragged, _nothing_finite)),
    *(("lanes-in-the-dot", _pads(*pads)) for pads in ((-torch.inf, -torch.inf), (-torch.inf, 0.0), (1.0, 1.0))),
    ("row-stride-missing", _reads(_shifted, _as_it_is)),
    ("row-stride-missing", _reads(_as_it_is, _shifted)),
    ("row-stride-missing", _reads(_shifted, _shifted)),
    ("row-stride-missing", gradient(_shifted_stores)),
    ("one-input-at-row-zero", _reads(_first_row, _as_it_is)),
    ("one-input-at-row-zero", _reads(_as_it_is, _first_row)),
    ("row-zero-only", both(detectors.shared, gradient(_all_in_row_zero))),
    ("row-zero-only", _reads(_first_row, _first_row)),
    ("stored-in-row-zero", both(detectors.shared, detectors.tail_rows_nan)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
    ("tail-missing", detectors.tail_is_nan),
    *GRADIENT,
)
