"""The mistakes of a softmax gradient, in PyTorch and in a kernel: texts, wrong formulas, detectors.

The right formula is dx = y·(dy - Σ y·dy), row by row (see reference/gradient.py). A wrong formula is a function of y,
dy and the case's facts. y, dy and the result are float64 of shape M×N.

Facts of a case: those of `reference.gradient.facts`. A case of a kernel also has `out` (the index of dx among the
arguments), `block` (columns of a block), and `strides` (elements between two rows of dx, y and dy).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

import torch

from ..checks import compare, syntax
from ..checks.compare import softmax_gradient
from ..reference.gradient import other_method, whole_jacobian
from ..sentence import foreign
from ..spec import Case, Detector, Evidence
from . import detectors
from .detectors import both, looks, only_where, outside, too_many_lanes, unmasked, written
from .kernels import KERNEL
from .mistake import Mistake
from .mutant import Mutant, also, several

MISTAKES = [
    Mistake(
        "operation-exchanged",
        "Your formula has the right parts, but a wrong operation between two of them.",
        "Compare the formula with your line: between which two parts is the operation different?",
        several(
            "13.4",
            "p * (dp - delta[:, None]) * scale",
            "p * (dp + delta[:, None]) * scale",
            "p * (dp - delta[:, None]) / scale",
            times=2,
        ),
        several(
            "13.4",
            'input_precision="ieee") * scale',
            'input_precision="ieee") + scale',
            'input_precision="ieee") / scale',
            times=2,
        ),
    ),
    Mistake(
        "tensor-exchanged",
        "In one place of the formula, y and dy are exchanged.",
        "Which of the two stands at each of the four places?",
    ),
    Mistake(
        "gradient-of-the-logarithm",
        "This is the gradient of log_softmax, the logarithm of the softmax.",
        "Of which function is y the output?",
        Mutant("11.1", "(y * dy).sum", "dy.sum", then=also("y * (dy - dot)", "dy - y * dot")),
        Mutant("11.2", "tl.sum(y * dy", "tl.sum(dy", then=also("y * (dy - dot)", "dy - y * dot")),
    ),
    Mistake(
        "dot-alone",
        "Only the sum of the row is used, and the other part of the bracket is missing.",
        "What else is in the bracket of the formula?",
    ),
    Mistake(
        "dot-stored",
        "Only the sum of the row came back, the same number for each of its columns.",
        "Which of your lines makes a gradient for every column, and is it the result of that line that is stored or "
        "returned?",
    ),
    # ---- the formula
    Mistake(
        "gradient-zero",
        "All values are 0. That is the gradient of y.sum(), but not of a loss that is used for training.",
        "Which dy would tell zeros from a gradient?",
    ),
    Mistake(
        "dy-passed-on",
        "dy was returned unchanged, as if softmax returned its input.",
        "What does the Jacobian of a row look like, and when would it be the identity?",
    ),
    Mistake(
        "dot-missing",
        "These are the numbers of one half of the Jacobian: the part that comes from the sum of a row is missing.",
        "When one x of a row grows, what happens to the other outputs of that row?",
    ),
    Mistake(
        "diagonal-only",
        "Each dx was computed from its own y and dy alone, which is the diagonal of the Jacobian.",
        "What do the other elements of the Jacobian hold, and which dy does each of them meet?",
    ),
    Mistake(
        "factor-missing",
        "The factor y is missing, on one side of the difference or on both.",
        "What do both parts of the Jacobian's column j have in common?",
    ),
    Mistake(
        "y-and-dy-swapped",
        "y and dy have changed places.",
        "In the formula, which of the two stands outside of the parentheses, and whose numbers stand there in your "
        "line?",
    ),
    Mistake(
        "dot-averaged",
        "A row's sum became an average.",
        "What does the product of dy and the Jacobian do with its terms?",
    ),
    Mistake(
        "dot-along-columns",
        "The products were summed down the columns.",
        "Which dimension do you walk along to visit the outputs with the same denominator?",
    ),
    Mistake(
        "dot-of-the-matrix",
        "The products of the whole matrix were summed into one number.",
        "How many such sums does a matrix with M rows have?",
    ),
    Mistake(
        "dot-incomplete",
        "The number to subtract from dy is the sum of y times dy in the row. Yours is another number.",
        "In the terms of one column, which factor is the same everywhere, and which two are left for the sum?",
        Mutant("11.2", "tl.sum(y * dy, axis=0)", "tl.cumsum(y * dy, axis=0)"),
    ),
    Mistake(
        "factor-twice",
        "y or dy is a factor one time too many.",
        "How often is each of the two a factor in one term of the sum, and how often outside the sum?",
    ),
    Mistake(
        "dot-in-half",
        "The sum of the row, or each product in it, was rounded to half precision.",
        "Which dtype do the products of y and dy have when they are summed, and which does their sum have?",
        several("11.2", "axis=0)", "axis=0).to(tl.float16)", "axis=0).to(tl.bfloat16).to(tl.float32)"),
        several("11.2", "y * dy,", "(y * dy).to(tl.float16),", "y.to(tl.float16) * dy.to(tl.float16),"),
    ),
    Mistake(
        "dot-added",
        "The sum of the row has the wrong sign: it was added.",
        "Which sign does the outer product have in the Jacobian?",
    ),
    Mistake(
        "sign-flipped",
        "Every number is right, but all signs are wrong.",
        "If the loss grows with one output, should the x of that output get a positive or a negative gradient?",
    ),
    Mistake(
        "jacobian-made",
        "For each row, N×N numbers were computed, all at once or part by part, and then they were only added up.",
        "How many different numbers does a row of dx need besides y and dy?",
    ),
    Mistake(
        "left-to-autograd",
        "Autograd computed the derivative, from an x that was computed from y.",
        "What are the two halves of dy times the Jacobian, written with y and dy alone?",
    ),
    Mistake(
        "y-passed-on",
        "y came back as it was.",
        "Which variable holds the result, and which one is returned or stored?",
    ),
    Mistake(
        "divided-by-y",
        "Where y is 0 the result is nan, and everywhere else it is right: there is a division by y.",
        "How can you write the formula without a division by y?",
    ),
    Mistake(
        "max-for-sum",
        "The largest product was used in place of the sum of all products.",
        "What does dy times the outer product do with its terms?",
    ),
    Mistake(
        "softmax-of-y",
        "y is already the output of a softmax, and here a second softmax was applied to it.",
        "Which of your lines belong to forward?",
    ),
    Mistake(
        "row-for-matrix",
        "This was written for one row, and y holds many.",
        "How many numbers do torch.diag and torch.outer give for one row, and how many for all rows?",
    ),
    Mistake(
        "matrix-product",
        "A matrix product pairs every row of one matrix with every column of the other.",
        "Which products of y and dy does the number of a row need, and which others does a matrix product make?",
    ),
    # ---- the kernel
    Mistake(
        "one-tensor-twice",
        "The numbers of one tensor were used for both y and dy.",
        "Which pointer does each of your two loads begin at?",
    ),
    Mistake(
        "stride-of-another",
        "Each of the three tensors has a row stride of its own, and here one was used for another.",
        "Which stride belongs to the pointer in that line?",
    ),
    Mistake(
        "lanes-in-the-dot",
        "Masked lanes joined the sum: the product of their pads is not 0.",
        "Which product should a lane outside the row add to the sum?",
    ),
    Mistake(
        "one-input-at-row-zero",
        "One of the two inputs is read at its first row by every program.",
        "Which of your addresses does not depend on the program?",
    ),
    Mistake(
        "float32-in-float64",
        "A float64 result has no more digits than float32: it went through float32 on the way.",
        "Which line names a dtype, or makes a tensor without naming one?",
        Mutant(
            "11.2",
            "dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=0.0)",
            "dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=0.0).to(tl.float32)",
            replayed=False,
        ),
    ),
]

# ---- wrong formulas, in PyTorch or in a kernel


def gradient_formula(compute: Callable[[torch.Tensor, torch.Tensor, dict], torch.Tensor]) -> Detector:
    """Matches an answer whose numbers are those of a wrong formula compute(y, dy, facts).

    It is `detectors.formula` with a wider tolerance, because the difference in the formula can cancel.
    """

    def alike(got: torch.Tensor, want: torch.Tensor, facts: dict) -> bool:
        if got.shape != want.shape:
            return False
        y, dy, got, want = facts["y"].double(), facts["dy"].double().abs(), got.double(), want.double()
        slack = (1e-5 * y + 1e-7) * (dy + _row_sum(y * dy))
        same = ((got - want).abs() <= 1e-4 * want.abs() + slack) & want.isfinite()
        return bool((same | (got == want) | (got.isnan() & want.isnan())).all())

    def wrong(facts: dict) -> torch.Tensor:
        return compute(facts["y"].double(), facts["dy"].double(), facts)

    def fits(case: Case, evidence: Evidence) -> bool:
        facts, got = case.facts, detectors.output(case, evidence)
        return "dy" not in facts or got is None or alike(got, wrong(facts), facts)

    def right(case: Case, evidence: Evidence) -> bool:
        facts, got = case.facts, detectors.output(case, evidence)
        return "dy" not in facts or got is None or alike(facts["want"], wrong(facts), facts)

    def weight(case: Case, evidence: Evidence) -> float:
        return detectors.loss_weight(detectors.output(case, evidence), case.facts["want"])

    return detectors.wrong_numbers(fits, right, weight, share=0.0)


def _row_sum(t: torch.Tensor) -> torch.Tensor:
    """The sum of each row as a column, M×1."""
    return t.sum(1, keepdim=True)


def _with_term(term) -> Detector:
    """Matches y·(dy - term(y, dy)): another term in place of the row sum of y·dy."""
    return gradient_formula(lambda y, dy, facts: y * (dy - term(y, dy)))


_OPERATIONS = (torch.add, torch.sub, torch.mul, torch.div)


def _of_operations(first, second, third) -> Detector:
    """Matches y first (dy second Σ y third dy)."""
    return gradient_formula(lambda y, dy, facts: first(y, second(dy, _row_sum(third(y, dy)))))


def _of_tensors(*places: int) -> Detector:
    """Matches a · (b - Σ c · d); a place is 0 for y and 1 for dy."""

    def compute(y, dy, facts):
        a, b, c, d = ((y, dy)[place] for place in places)
        return a * (b - _row_sum(c * d))

    return gradient_formula(compute)


_divided_by_y = gradient_formula(lambda y, dy, facts: torch.where(y == 0, torch.nan, softmax_gradient(y, dy)))


@looks
def _all_stored(got) -> bool:
    """Every element of the output was stored, if it is NaN or not."""
    return not compare.never_stored(got).any()


GRADIENT = (
    ("gradient-zero", gradient_formula(lambda y, dy, facts: torch.zeros_like(y))),
    ("dy-passed-on", gradient_formula(lambda y, dy, facts: dy)),
    ("dot-missing", gradient_formula(lambda y, dy, facts: y * dy)),
    ("diagonal-only", gradient_formula(lambda y, dy, facts: y * (1 - y) * dy)),
    ("factor-missing", gradient_formula(lambda y, dy, facts: dy - _row_sum(y * dy))),
    ("factor-missing", gradient_formula(lambda y, dy, facts: y * dy - _row_sum(y * dy))),
    ("factor-missing", gradient_formula(lambda y, dy, facts: dy - y * _row_sum(y * dy))),
    ("y-and-dy-swapped", gradient_formula(lambda y, dy, facts: dy * (y - _row_sum(y * dy)))),
    ("dot-averaged", _with_term(lambda y, dy: (y * dy).mean(1, keepdim=True))),
    (
        "dot-averaged",
        gradient_formula(lambda y, dy, facts: y * (dy - _row_sum(y * dy) / facts.get("block", torch.nan))),
    ),
    ("dot-along-columns", _with_term(lambda y, dy: (y * dy).sum(0, keepdim=True))),
    ("dot-of-the-matrix", _with_term(lambda y, dy: (y * dy).sum())),
    ("dot-incomplete", _with_term(lambda y, dy: _row_sum(dy))),
    ("dot-incomplete", _with_term(lambda y, dy: dy.mean(1, keepdim=True))),
    ("dot-incomplete", _with_term(lambda y, dy: _row_sum(y))),
    ("factor-twice", _with_term(lambda y, dy: _row_sum(y * dy * dy))),
    ("factor-twice", _with_term(lambda y, dy: _row_sum(y * y * dy))),
    ("factor-twice", gradient_formula(lambda y, dy, facts: y * softmax_gradient(y, dy))),
    ("factor-twice", gradient_formula(lambda y, dy, facts: dy * softmax_gradient(y, dy))),
    ("dot-added", _with_term(lambda y, dy: -_row_sum(y * dy))),
    ("sign-flipped", gradient_formula(lambda y, dy, facts: -softmax_gradient(y, dy))),
    ("y-passed-on", gradient_formula(lambda y, dy, facts: y)),
    *(
        ("operation-exchanged", _of_operations(*each))
        for each in itertools.product(_OPERATIONS, repeat=3)
        if each != (torch.mul, torch.sub, torch.mul)
    ),
    *(
        ("tensor-exchanged", _of_tensors(*each))
        for each in ((1, 1, 0, 1), (0, 0, 0, 1), (0, 1, 1, 1), (0, 1, 0, 0), (1, 1, 1, 0), (0, 0, 1, 0))
    ),
    ("dot-alone", gradient_formula(lambda y, dy, facts: y * _row_sum(y * dy))),
    ("dot-stored", gradient_formula(lambda y, dy, facts: _row_sum(y * dy).expand(y.shape))),
    ("divided-by-y", only_where(_all_stored, _divided_by_y)),
    ("max-for-sum", _with_term(lambda y, dy: (y * dy).amax(1, keepdim=True))),
    ("factor-twice", gradient_formula(lambda y, dy, facts: y * dy - y * y * _row_sum(y * dy))),
    ("dot-incomplete", gradient_formula(lambda y, dy, facts: y * dy - y * y * _row_sum(dy))),
    ("dot-alone", gradient_formula(lambda y, dy, facts: -y * _row_sum(y * dy))),
    ("softmax-of-y", gradient_formula(lambda y, dy, facts: softmax_gradient(torch.softmax(y, 1), dy))),
)


# ---- other methods in PyTorch


def _right_numbers(test) -> Detector:
    """Matches a right gradient for which test(y, evidence, answer) holds."""

    @looks
    def detect(y, dy, error, value, evidence, answer) -> bool:
        return not error and not compare.gradient(y, dy, value) and bool(test(y, evidence, answer))

    return detect


@looks
def _for_one_row(error) -> bool:
    """PyTorch refused a matrix where it takes one row, as in torch.outer."""
    return bool(error) and foreign.is_a(error["message"], "one-row-expected")


@looks
def _matrix_product(source, evidence) -> bool:
    """The shapes of a matrix product, or of an operation on what a line made of one, do not fit."""
    error = evidence.error or {"message": "", "line": ""}
    message = error["message"]
    if not (foreign.is_a(message, "product-misfit") or foreign.is_a(message, "tensors-misfit")):
        return False
    product = r"[^#\n]*(?:\w\)? *@|\b(?:mm|matmul)\()"
    made = re.findall(rf"^ *(\w+) *={product}", source, re.MULTILINE)
    return bool(re.search(product, error["line"]) or set(made) & set(re.findall(r"\w+", error["line"])))


OTHER_METHODS = (
    ("library-softmax", _right_numbers(lambda y, e, a: any("softmax" in name for name in e.torch_ops))),
    (
        "left-to-autograd",
        _right_numbers(lambda y, e, a: other_method(y, e) and re.search(r"autograd|requires_grad", a.source)),
    ),
    ("jacobian-made", _right_numbers(lambda y, e, a: whole_jacobian(y, e))),
    ("row-for-matrix", _for_one_row),
    ("matrix-product", _matrix_product),
)


# ---- the kernel


def _wrong_row_start(strides) -> Detector:
    """Matches an out-of-bounds access of program r that begins r times a wrong stride into one of the three tensors.

    strides(facts, right) yields the wrong strides; right is the row stride of that tensor, in elements.
    """

    def test(where: dict, facts: dict) -> bool:
        right = facts.get("strides", {}).get(str(where.get("tensor")).removesuffix("_ptr"))
        program = where["program"][0]
        if right is None or program == 0:
            return False
        return any(stride != right and where["first"] == program * stride for stride in strides(facts, right))

    return replace(outside("any", test), share=0.4)


def _wrong_rows_read(y_rows, dy_rows) -> Detector:
    """Matches the right formula on wrong rows: y_rows(y, facts) and dy_rows(dy, facts) are the rows that were read."""

    def compute(y, dy, facts):
        y, dy = y_rows(y, facts), dy_rows(dy, facts)
        return softmax_gradient(y, dy) if len(y) == len(dy) else y[:0]

    return gradient_formula(compute)


def _right_rows(t: torch.Tensor, facts: dict) -> torch.Tensor:
    return t


def _first_row(t: torch.Tensor, facts: dict) -> torch.Tensor:
    """Row 0 in place of every row."""
    return t[:1].expand_as(t)


def _without_stride(t: torch.Tensor, facts: dict) -> torch.Tensor:
    """Row r read from element r on; no rows if a stride is not N, or if the last row would leave the tensor."""
    (m, n), flat = t.shape, t.reshape(-1)
    if set(facts.get("strides", {}).values()) != {n} or m - 1 + n > flat.numel():
        return t[:0]
    return torch.stack([flat[r : r + n] for r in range(m)])


def _stored_without_stride(y, dy, facts):
    """Row r read and stored from element r on."""
    y, dy = _without_stride(y, facts), _without_stride(dy, facts)
    if not len(y):
        return y
    (m, n), dx = y.shape, softmax_gradient(y, dy)
    want = torch.full((m * n,), torch.nan, dtype=torch.float64)
    for r in range(m):
        want[r : r + n] = dx[r][: m * n - r]
    return want.reshape(m, n)


def _only_row_zero(y, dy, facts):
    """Row 0 is right, because every program computed it; the other rows keep NaN."""
    want = torch.full(y.shape, torch.nan, dtype=torch.float64)
    want[0] = softmax_gradient(y, dy)[0]
    return want


def _padded_products(y_pad: float, dy_pad: float) -> Detector:
    """Matches a row sum to which each masked lane added y_pad · dy_pad."""

    def compute(y, dy, facts):
        extra = facts.get("block", 0) - y.shape[1]
        return y * (dy - _row_sum(y * dy) - (extra * y_pad * dy_pad if extra > 0 else 0.0))

    return gradient_formula(compute)


def _padded_softmax(y, dy, facts):
    """y went through a second softmax, to whose sum each masked lane added exp(0)."""
    e = y.exp()
    return softmax_gradient(e / (_row_sum(e) + max(facts.get("block", 0) - y.shape[1], 0)), dy)


def _padded_max(y, dy, facts):
    """The largest product in place of the row sum; a masked lane counts as 0."""
    top = (y * dy).amax(1, keepdim=True)
    return y * (dy - (top.clamp(min=0) if facts.get("block", 0) > y.shape[1] else top))


@looks
def _nothing_finite(got) -> bool:
    """The output has no finite element."""
    return not bool(got.isfinite().any())


@looks
def _float32_digits(got, want) -> bool:
    """The output is float64, and it is right only to the precision of float32."""
    if got.dtype != torch.float64 or got.shape != want.shape:
        return False
    return torch.allclose(got, want, rtol=1e-3, atol=1e-5)


GRADIENT_KERNEL = (
    *KERNEL,
    ("stride-in-bytes", _wrong_row_start(lambda facts, right: [4 * right])),
    ("stride-of-another", _wrong_row_start(lambda facts, right: facts["strides"].values())),
    ("rows-assumed-adjacent", _wrong_row_start(lambda facts, right: [facts["y"].shape[1]])),
    ("block-for-stride", _wrong_row_start(lambda facts, right: [facts["block"]])),
    ("no-store-mask", both(unmasked("store"), outside("store", too_many_lanes))),
    ("no-load-mask", both(unmasked("load"), outside("load", too_many_lanes))),
    ("input-overwritten", detectors.input_overwritten),
    ("nothing-stored", detectors.nothing_stored),
    ("float32-in-float64", _float32_digits),
    ("no-pad", both(written(syntax.load_without_other), detectors.ragged, _nothing_finite)),
    ("lanes-in-the-dot", _padded_products(-torch.inf, -torch.inf)),
    ("lanes-in-the-dot", _padded_products(-torch.inf, 0.0)),
    ("lanes-in-the-dot", _padded_products(1.0, 1.0)),
    ("row-stride-missing", _wrong_rows_read(_without_stride, _right_rows)),
    ("row-stride-missing", _wrong_rows_read(_right_rows, _without_stride)),
    ("row-stride-missing", _wrong_rows_read(_without_stride, _without_stride)),
    ("row-stride-missing", gradient_formula(_stored_without_stride)),
    ("one-input-at-row-zero", _wrong_rows_read(_first_row, _right_rows)),
    ("one-input-at-row-zero", _wrong_rows_read(_right_rows, _first_row)),
    ("one-tensor-twice", gradient_formula(lambda y, dy, facts: softmax_gradient(y, y))),
    ("one-tensor-twice", gradient_formula(lambda y, dy, facts: softmax_gradient(dy, dy))),
    ("softmax-of-y", gradient_formula(_padded_softmax)),
    ("max-for-sum", gradient_formula(_padded_max)),
    ("row-zero-only", both(detectors.shared, gradient_formula(_only_row_zero))),
    ("row-zero-only", _wrong_rows_read(_first_row, _first_row)),
    ("stored-in-row-zero", both(detectors.shared, detectors.only_first_row)),
    ("rows-missing", both(detectors.unshared, detectors.tail_rows_nan)),
    ("tail-missing", detectors.tail_is_nan),
    *GRADIENT,
)
