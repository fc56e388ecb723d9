"""Mistakes of the backward kernel of a softmax.

A case's facts hold what gradients.py wants, block, and strides: elements between rows of dx, y and dy.
"""

from __future__ import annotations

import torch

from ..checks.compare import softmax_gradient
from ..checks.syntax import load_without_other, multiplies_lanes
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import both, outside, past_the_row, written
from .gradients import GRADIENT, gradient, row_sum
from .softmax.columns import KERNEL


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
    return Detector(lambda case, evidence, answer: any(detect(case, evidence, answer) for detect in ways))


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
        return y * (dy - row_sum(y * dy) - (extra * y_pad * dy_pad if extra > 0 else 0.0))

    return gradient(compute)


@Detector
def _nothing_finite(case: Case, evidence: Evidence, answer: Answer) -> bool:
    got = detectors.output(case, evidence)
    return got is not None and not bool(got.isfinite().any())


@Detector
def _only_roughly(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """float64 with no more digits than float32 has."""
    got, want = detectors.output(case, evidence), case.facts.get("want")
    if want is None or got is None or got.dtype != torch.float64 or got.shape != want.shape:
        return False
    return torch.allclose(got, want, rtol=1e-3, atol=1e-5)


def _padded_softmax(y, dy, facts):
    """Softmax once more, with masked lanes that hold 0."""
    e = y.exp()
    return softmax_gradient(e / (row_sum(e) + max(facts.get("block", 0) - y.shape[1], 0)), dy)


def _padded_max(y, dy, facts):
    """The largest product, that of a masked lane included."""
    top = (y * dy).amax(1, keepdim=True)
    return y * (dy - (top.clamp(min=0) if facts.get("block", 0) > y.shape[1] else top))


GRADIENT_KERNEL = (
    *KERNEL,
    ("lanes-multiplied", written(multiplies_lanes)),
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
    ("one-tensor-twice", gradient(lambda y, dy, facts: softmax_gradient(y, y))),
    ("one-tensor-twice", gradient(lambda y, dy, facts: softmax_gradient(dy, dy))),
    ("softmax-of-y", gradient(_padded_softmax)),
    ("max-for-sum", gradient(_padded_max)),
    ("row-zero-only", both(detectors.shared, gradient(_all_in_row_zero))),
    ("row-zero-only", _reads(_first_row, _first_row)),
    ("stored-in-row-zero", both(detectors.shared, detectors.tail_rows_nan)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
    ("tail-missing", detectors.tail_is_nan),
    *GRADIENT,
)
