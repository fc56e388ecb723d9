"""Known wrong gradients of a softmax, and ways to come by right ones without the formula.

The right one is y·(dy - Σ y·dy), row by row. A case's facts hold y, dy, want, and x: the input of the softmax where
there was one, else y once more.
"""

from __future__ import annotations

import ast
import re

import torch

from ..checks import compare, syntax
from ..checks.compare import softmax_gradient
from ..spec import Answer, Case, Detector, Evidence
from . import detectors
from .detectors import written


def gradient(compute) -> Detector:
    """Matches when the answer's numbers are those of a known wrong compute(y, dy, facts), in float64.

    Like detectors.formula, with room for the cancellation in a difference.
    """

    def alike(got: torch.Tensor, want: torch.Tensor, facts: dict) -> bool:
        if got.shape != want.shape:
            return False
        y, dy, got, want = facts["y"].double(), facts["dy"].double().abs(), got.double(), want.double()
        slack = (1e-5 * y + 1e-7) * (dy + row_sum(y * dy))
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

    return Detector(detect, fits)


def _with(total) -> Detector:
    """y·(dy - total(y, dy)), where something else stands in place of the row's sum of y·dy."""
    return gradient(lambda y, dy, facts: y * (dy - total(y, dy)))


def row_sum(t: torch.Tensor) -> torch.Tensor:
    """One number for each row, as a column."""
    return t.sum(1, keepdim=True)


GRADIENT = (
    ("gradient-zero", gradient(lambda y, dy, facts: torch.zeros_like(y))),
    ("dy-passed-on", gradient(lambda y, dy, facts: dy)),
    ("dot-missing", gradient(lambda y, dy, facts: y * dy)),
    ("diagonal-only", gradient(lambda y, dy, facts: y * (1 - y) * dy)),
    ("factor-missing", gradient(lambda y, dy, facts: dy - row_sum(y * dy))),
    ("factor-missing", gradient(lambda y, dy, facts: y * dy - row_sum(y * dy))),
    ("y-and-dy-swapped", gradient(lambda y, dy, facts: dy * (y - row_sum(y * dy)))),
    ("dot-averaged", _with(lambda y, dy: (y * dy).mean(1, keepdim=True))),
    ("dot-averaged", gradient(lambda y, dy, facts: y * (dy - row_sum(y * dy) / facts.get("block", torch.nan)))),
    ("dot-along-columns", _with(lambda y, dy: (y * dy).sum(0, keepdim=True))),
    ("dot-of-the-matrix", _with(lambda y, dy: (y * dy).sum())),
    ("dot-incomplete", _with(lambda y, dy: row_sum(dy))),
    ("dot-incomplete", _with(lambda y, dy: dy.mean(1, keepdim=True))),
    ("dot-incomplete", _with(lambda y, dy: row_sum(y))),
    ("factor-twice", _with(lambda y, dy: row_sum(y * dy * dy))),
    ("factor-twice", _with(lambda y, dy: row_sum(y * y * dy))),
    ("factor-twice", gradient(lambda y, dy, facts: y * softmax_gradient(y, dy))),
    ("dot-added", _with(lambda y, dy: -row_sum(y * dy))),
    ("sign-flipped", gradient(lambda y, dy, facts: -softmax_gradient(y, dy))),
    ("y-passed-on", gradient(lambda y, dy, facts: y)),
    ("divided-by-y", gradient(lambda y, dy, facts: torch.where(y == 0, torch.nan, softmax_gradient(y, dy)))),
    ("max-for-sum", _with(lambda y, dy: (y * dy).amax(1, keepdim=True))),
    ("softmax-of-y", gradient(lambda y, dy, facts: softmax_gradient(torch.softmax(y, 1), dy))),
)


def detour(y: torch.Tensor, evidence: Evidence) -> str | None:
    """A sentence when right numbers were come by without the formula."""
    library = next((name for name in evidence.torch_ops if "softmax" in name), None)
    if library:
        return f"the answer calls PyTorch's {library}"
    other = next((name for name in evidence.torch_ops if name in ("exp", "log")), None)
    if other:
        return f"right numbers, but on the way it calls PyTorch's {other}, and the formula has none"
    return _whole_jacobian(y, evidence)


def _whole_jacobian(y: torch.Tensor, evidence: Evidence) -> str | None:
    """A sentence when so much was written that it must have been N numbers for each output; only long rows tell."""
    times = evidence.written / y.numel()
    if y.shape[1] < 100 or times < y.shape[1]:
        return None
    return f"right numbers, but on the way it writes {times:.0f} times as many elements as the matrix has"


def _right(test) -> Detector:
    """Matches right numbers whose evidence and text pass a test."""

    @Detector
    def detect(case: Case, evidence: Evidence, answer: Answer) -> bool:
        y, dy = case.facts["y"], case.facts["dy"]
        return not evidence.error and not compare.gradient(y, dy, evidence.value) and bool(test(y, evidence, answer))

    return detect


@Detector
def _for_one_row(case: Case, evidence: Evidence, answer: Answer) -> bool:
    return "Expected 1-D argument" in (evidence.error or {"message": ""})["message"]


@Detector
def _matrix_product(case: Case, evidence: Evidence, answer: Answer) -> bool:
    """The shapes of a matrix product, or of what it was combined with, did not fit."""
    sign = written(lambda tree: any(isinstance(node, ast.MatMult) for node in syntax.nodes(tree)))
    fault = re.search(r"shapes cannot be mult|size of tensor a", (evidence.error or {"message": ""})["message"])
    return bool(fault) and (sign(case, evidence, answer) or bool(re.search(r"\b(mm|matmul)\(", answer.source)))


# What an answer in PyTorch can do in place of the formula.
DETOURS = (
    ("library-softmax", _right(lambda y, e, a: any("softmax" in name for name in e.torch_ops))),
    ("left-to-autograd", _right(lambda y, e, a: detour(y, e) and re.search(r"autograd|requires_grad", a.source))),
    ("jacobian-made", _right(lambda y, e, a: _whole_jacobian(y, e))),
    ("row-for-matrix", _for_one_row),
    ("matrix-product", _matrix_product),
)
