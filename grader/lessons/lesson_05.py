"""Lesson 05: the softmax of every row. The grid, the row strides, and a function that checks its input."""

from __future__ import annotations

import pathlib
import random
from dataclasses import replace

import torch

from ..checks import inputs
from ..mistakes.softmax.columns import SOFTMAX_PLACES
from ..mistakes.softmax.function import WARPS_REMARKS, WRAPPER_PLACES
from ..mistakes.softmax.rows import ROW_PLACES
from ..reference import far_rows, softmax_function
from ..sentence import said
from ..spec import Call, Case, Exercise, Out

_DRIVER = (pathlib.Path(__file__).parent / "drivers" / "first_result.py").read_text(encoding="utf-8")

_MATRICES = [  # label, family of inputs, rows, columns
    (said("randn"), inputs.randn, 2, 4),
    (said("ragged"), inputs.randn, 3, 5),
    (said("one row"), inputs.randn, 1, 6),
    (said("one column"), inputs.randn, 40, 1),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 3, 11),
    (said("values around -200"), inputs.far_below_zero, 3, 6),
    ("100 ± 30", inputs.large, 3, 7),
    (said("ascending"), inputs.ascending, 3, 9),
    (said("descending"), inputs.descending, 3, 9),
    (said("first half +200, the rest -200"), inputs.cliff, 3, 10),
    (said("constant rows"), inputs.constant, 4, 11),
    (said("one -inf in each row"), inputs.one_minus_inf, 4, 12),
    (said("one outlier in each row"), inputs.outlier, 4, 13),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 4, 14),
    (said("values of -2.2e38"), inputs.lowest, 4, 14),
    (said("values near the lowest float32"), inputs.at_the_end, 4, 14),
    (said("a power of two"), inputs.randn, 5, 16),
    (said("one more than a power of two"), inputs.randn, 5, 17),
    ("7×257", inputs.randn, 7, 257),
    (said("rows of 5000"), inputs.randn, 2, 5000),
    # No lane is masked, so no pad takes part.
    (said("no lane to spare, first half +200, the rest -200"), inputs.cliff, 3, 8),
]


def _kernel_cases(seed: int) -> list[Case]:
    any_length = softmax_function.any_length
    cases = []
    for i, (label, family, m, n) in enumerate(_MATRICES):
        x = family(m, n, inputs.generator(seed + i))
        cases.append(_kernel_case(label, x, order="forward"))
    g = inputs.generator(seed)
    cases += [
        _kernel_case(
            said("wide gaps between the input's rows"), inputs.row_strided(inputs.randn(3, 6, g)), "forward", y_gap=1
        ),
        _kernel_case(
            said("wide gaps between the output's rows"),
            inputs.row_strided(inputs.randn(3, 6, g), 1),
            "forward",
            y_gap=2,
        ),
        _kernel_case(said("programs in reversed order"), inputs.randn(4, any_length(seed), g), "reversed"),
        _kernel_case(
            said("programs in shuffled order"),
            inputs.row_strided(inputs.randn(6, any_length(seed + 1), g)),
            "shuffled",
            y_gap=1,
        ),
        _kernel_case(
            said("rows 20000 elements apart"), inputs.row_strided(inputs.randn(3, 6, g), 19_994), "forward", 19_994
        ),
        far_rows.case(lambda label: _kernel_case(label, inputs.randn(5, 6, g), "forward")),
    ]
    return cases


def _kernel_case(label: str, x: torch.Tensor, order: str, y_gap: int = 0) -> Case:
    m, n = x.shape
    y_stride, block = n + y_gap, softmax_function.block(n)
    call = Call(
        "launch",
        "softmax_kernel",
        (Out((m, n), strides=(y_stride, 1)), x, y_stride, x.stride(0), n),
        {"BLOCK": block},
        grid=(m,),
        order=order,
    )
    return softmax_function.kernel_case(
        said("{label}, {m}×{n} in blocks of {block}", label=label, m=m, n=n, block=block),
        x,
        call,
        largest=softmax_function.most_lanes(block),
    )


def _wrapper_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n) in enumerate(_MATRICES):
        x = family(m, n, inputs.generator(seed + i))
        cases.append(softmax_function.case("fused_softmax", inputs.sized(label, m, n), x))
    g = inputs.generator(seed)
    cases += [
        softmax_function.case(
            "fused_softmax", said("rows with gaps between them, 3×6"), inputs.row_strided(inputs.randn(3, 6, g))
        ),
        softmax_function.case(
            "fused_softmax", said("a transposed view, 4×6"), inputs.column_strided(inputs.randn(4, 6, g))
        ),
        softmax_function.case(
            "fused_softmax", said("every other column, 4×6"), inputs.every_other_column(inputs.randn(4, 6, g))
        ),
        softmax_function.case(
            "fused_softmax", said("one column, expanded to 4×6"), inputs.expanded(inputs.randn(4, 6, g))
        ),
        softmax_function.case("fused_softmax", said("many rows, 130×3"), inputs.randn(130, 3, g)),
        # A block for the whole matrix would have more lanes than Triton allows.
        replace(
            softmax_function.case(
                "fused_softmax", said("over a million elements, 1100×955"), inputs.randn(1100, 955, g)
            ),
            dear=True,
        ),
        softmax_function.more_rows_than_an_axis("fused_softmax", seed),
        softmax_function.case("fused_softmax", said("a long row, 1×16385"), inputs.randn(1, 16385, g)),
        softmax_function.first_result("fused_softmax", *inputs.randn(6, 7, g).split(3)),
        softmax_function.empty(said("a matrix without rows"), "fused_softmax", 0, random.Random(seed).randint(2, 99)),
        softmax_function.case(
            "fused_softmax", said("one row of a wider matrix, 1×6"), inputs.row_strided(inputs.randn(1, 6, g))
        ),
        softmax_function.case(
            "fused_softmax", said("rows 6 apart, columns 24 apart, 4×6"), inputs.apart_both_ways(inputs.large(4, 6, g))
        ),
        *softmax_function.any_lengths(
            seed, lambda label, x: softmax_function.case("fused_softmax", inputs.sized(label, *x.shape), x)
        ),
        far_rows.of_function(
            softmax_function.case("fused_softmax", far_rows.LABEL, inputs.randn(3, 6, g)), 0, may_refuse=True
        ),
        *softmax_function.refusals("fused_softmax", g),
    ]
    return cases


EXERCISES = [
    Exercise(
        id="5.1",
        title="softmax_kernel",
        names=("softmax_kernel",),
        points=3,
        cases=_kernel_cases,
        kernels=True,
        hints=(
            said(
                "The kernel of 4.1 handles one row. Only two addresses change: the beginning of a "
                "row in the input and in the output."
            ),
            said(
                "tl.program_id(0) says which row this program has; the row strides give the distance between two rows. "
                "The product of both needs 64 bits."
            ),
            said("A row of the input begins at `x_ptr + <which row> * <elements between rows>`."),
        ),
        mistakes=(
            *ROW_PLACES,
            *SOFTMAX_PLACES,
        ),
    ),
    Exercise(
        id="5.2",
        title="fused_softmax",
        names=("fused_softmax",),
        points=3,
        cases=_wrapper_cases,
        driver=_DRIVER,
        kernels=True,
        hints=(
            said("Look at x first (dimensions, dtype), then make the output, then launch one program for each row."),
            said("The launch needs the grid, both row strides, the number of columns, BLOCK and num_warps."),
            said("`softmax_kernel[(<rows>,)](y, x, y.stride(0), x.stride(0), <columns>, BLOCK=<power of two>, ...)`"),
        ),
        mistakes=WRAPPER_PLACES,
        remarks=WARPS_REMARKS,
    ),
]
