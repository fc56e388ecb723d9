"""Lesson 01: softmax as five passes over the matrix, their traffic, and the overflow of exp."""

from __future__ import annotations

import torch

from ..checks import compare, inputs, syntax
from ..checks.compare import same_number
from ..mistakes import detectors
from ..mistakes.roofline import NAIVE_TRAFFIC
from ..mistakes.softmax import formulas
from ..mistakes.softmax.columns import UNEXPLAINED
from ..reference import roofline
from ..sentence import said
from ..spec import Call, Case, Detector, Exercise

# Label, input family, rows, columns.
_MATRICES = [
    (said("randn"), inputs.randn, 3, 5),
    (said("around -200"), inputs.far_below_zero, 2, 6),
    ("100 ± 30", inputs.large, 3, 8),
    (said("ascending"), inputs.ascending, 4, 7),
    (said("descending"), inputs.descending, 4, 7),
    (said("first half +200, the rest -200"), inputs.cliff, 4, 8),
    (said("constant rows"), inputs.constant, 3, 9),
    (said("one -inf in each row"), inputs.one_minus_inf, 4, 9),
    (said("one outlier in each row"), inputs.outlier, 3, 16),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 4, 8),
    (said("a square"), inputs.randn, 6, 6),
    (said("one column"), inputs.randn, 40, 1),
    (said("one row"), inputs.randn, 1, 33),
    (said("more columns than rows"), inputs.randn, 17, 129),
]


def _softmax_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n) in enumerate(_MATRICES):
        x = family(m, n, inputs.generator(seed + i))
        cases.append(_softmax_case(inputs.sized(label, m, n), x, roofline.five_pass_traffic(m, n)))
    x = inputs.column_strided(inputs.randn(5, 6, inputs.generator(seed)))
    cases.append(_softmax_case(said("a transposed view, 5×6"), x, None))
    return cases


def _softmax_case(label: str, x: torch.Tensor, budget) -> Case:
    return Case(
        label,
        Call("call", "naive_softmax", (x,)),
        verify=lambda e: compare.softmax(x, e.value),
        size=x.numel(),
        budget=budget,
        unit=x.numel(),
        facts={"x": x},
    )


def _traffic_cases(seed: int) -> list[Case]:
    return roofline.traffic_cases("naive_traffic", roofline.five_pass_traffic, seed)


# dtype -> the first integer whose exp is inf. ln of the largest float32 is 88.72, of the largest float16 11.09.
_OVERFLOW = {"float32": 89, "float16": 12}


def _overflow_cases(seed: int) -> list[Case]:
    return [
        Case(
            dtype,
            Call("value", "overflow_at"),
            verify=lambda e, d=dtype: _overflow_fault(e.value, d),
            size=size,
            facts={"dtype": dtype, "want": _OVERFLOW[dtype]},
        )
        for size, dtype in enumerate(_OVERFLOW)
    ]


def _overflow_fault(got, dtype: str) -> str | None:
    """None if the entry of a dtype is right, else a sentence."""
    if not isinstance(got, dict) or dtype not in got:
        return said("{shown} has no entry {dtype}", shown=compare.shown(got), dtype=repr(dtype))
    value = got[dtype]
    if same_number(value, _OVERFLOW[dtype], rel=0):
        return None
    return said("{shown} is not the first integer whose exp is inf in {dtype}", shown=compare.shown(value), dtype=dtype)


def _entry(test) -> Detector:
    """Matches an entry of the dictionary for which test(entry, right entry) holds."""
    return detectors.value(lambda got, facts: test(got[facts["dtype"]], facts["want"]))


EXERCISES = [
    Exercise(
        id="1.1",
        title="naive_softmax",
        names=("naive_softmax",),
        points=2,
        cases=_softmax_cases,
        hints=(
            said(
                "softmax(x) = exp(x - max) / sum(exp(x - max)), row by row: five operations, and "
                "each of them is one pass."
            ),
            said("Look at the shape of the row maximum. Does PyTorch repeat it along each row of the matrix?"),
            said("`x.amax(dim=1, keepdim=True)` is the first line; four more of that kind follow, one operation each."),
        ),
        mistakes=(
            ("returns-nothing", detectors.nothing),
            ("wrong-shape", detectors.wrong_kind("shape")),
            ("wrong-dtype", detectors.wrong_kind("dtype")),
            ("shift-not-max", detectors.formula(formulas.shifted_by(lambda x: x.amin(1, keepdim=True)))),
            ("shift-not-max", detectors.formula(formulas.shifted_by(lambda x: x.mean(1, keepdim=True)))),
            ("shift-not-max", detectors.formula(formulas.shifted_by(lambda x: x.abs().amax(1, keepdim=True)))),
            ("shift-not-max", detectors.formula(formulas.shifted_by(lambda x: x.median(1, keepdim=True).values))),
            ("shift-not-max", detectors.formula(formulas.shifted_by(lambda x: x[:, :1]))),
            ("shift-not-max", detectors.formula(formulas.shifted_by(lambda x: x[:, -1:]))),
            ("shift-of-columns", detectors.formula(formulas.shifted_by(lambda x: x.amax(0, keepdim=True)))),
            ("fixed-shift", detectors.written(syntax.shifted_by_a_constant)),
            ("no-max", detectors.formula(formulas.no_max)),
            ("shift-global-max", detectors.formula(formulas.shifted_by(lambda x: x.max()))),
            ("sum-of-the-matrix", detectors.formula(formulas.sum_of_the_matrix(lambda x: x.amax(1, keepdim=True)))),
            ("sum-of-the-matrix", detectors.formula(formulas.sum_of_the_matrix(lambda x: x.max()))),
            ("sum-of-x", detectors.formula(formulas.sum_of_x)),
            ("sum-of-x", detectors.formula(formulas.sum_of_shifted)),
            ("shift-upside-down", detectors.formula(formulas.shift_upside_down)),
            ("no-exp", detectors.formula(formulas.no_exp)),
            ("division-upside-down", detectors.formula(formulas.division_upside_down)),
            ("divided-by-count", detectors.formula(formulas.divided_by_count)),
            ("wrong-numerator", detectors.formula(formulas.wrong_numerator)),
            ("wrong-numerator", detectors.formula(formulas.difference_over_sum)),
            ("no-division", detectors.formula(formulas.no_division)),
            ("base-two", detectors.formula(formulas.base_two)),
            ("product-for-quotient", detectors.formula(formulas.times_the_sum)),
            ("divided-by-itself", detectors.formula(formulas.ones)),
            ("divided-by-mean", detectors.formula(formulas.divided_by_mean)),
            ("wrong-axis", detectors.formula(formulas.wrong_axis)),
            ("wrong-axis", detectors.formula(formulas.sum_of_columns)),
            *UNEXPLAINED,
        ),
    ),
    Exercise(
        id="1.2",
        title="naive_traffic",
        names=("naive_traffic",),
        points=1,
        cases=_traffic_cases,
        hints=(
            said(
                "Go through the five lines one by one. Write down how many elements each line reads, "
                "and how many it writes."
            ),
            said("Two of the lines read a vector of m elements besides the matrix, and two other lines write one."),
            said(
                "The first number has the form `<lines that read a matrix> * m * n + <lines that "
                "read a vector> * m`. The second has the same form, with the lines that write."
            ),
        ),
        mistakes=NAIVE_TRAFFIC,
    ),
    Exercise(
        id="1.3",
        title="overflow_at",
        names=("overflow_at",),
        points=1,
        cases=_overflow_cases,
        open_book=said("the answer is two numbers, which are the same for everybody"),
        hints=(
            said("exp overflows where its result would be larger than the largest number of the dtype."),
            said("torch.finfo(torch.float32).max is that number; its logarithm is not an integer."),
            said(
                "Try torch.exp(torch.tensor(float(n), dtype=torch.float16)) for a few n around that "
                "logarithm, and float32 likewise."
            ),
        ),
        mistakes=(
            ("value-left-out", detectors.value(lambda v, f: v is None or v[f["dtype"]] in (None, ...))),
            ("wrong-keys", detectors.value(lambda v, f: not isinstance(v, dict) or f["dtype"] not in v)),
            ("dtypes-swapped", detectors.value(lambda v, f: v == {"float32": 12, "float16": 89})),
            ("fifty-overflows", _entry(lambda v, want: v == 50)),
            ("last-finite", _entry(lambda v, want: v == want - 1)),
            ("still-finite", _entry(lambda v, want: v < want - 1 and v == int(v))),
            ("not-a-number", _entry(lambda v, want: not isinstance(v, (int, float)))),
            ("not-an-integer", _entry(lambda v, want: v != int(v))),
            ("not-first", _entry(lambda v, want: v > want)),
        ),
    ),
]
