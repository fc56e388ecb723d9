"""Lesson 07: half-precision input and output, a tolerance with a reason, and a softmax with a mask of entries."""

from __future__ import annotations

import functools
import random

import torch

from ..checks import compare, inputs
from ..mistakes.softmax.columns import SOFTMAX_PLACES
from ..mistakes.softmax.half import HALF_KERNEL, HALF_REMARKS
from ..mistakes.softmax.masked import MASKED_KERNEL
from ..mistakes.softmax.rows import ROW_PLACES
from ..mistakes.tolerance import TOLERANCE
from ..reference import far_rows, softmax_function, tolerance
from ..sentence import said
from ..spec import Call, Case, Exercise, Out

_HALF = (torch.bfloat16, torch.float16)
_MATRICES = [  # label, family of inputs, rows, columns
    (said("ragged"), inputs.randn, 3, 5),
    ("100 ± 30", inputs.large, 3, 7),
    (said("one column"), inputs.randn, 20, 1),
    (said("values around -200"), inputs.far_below_zero, 4, 6),
    (said("first half +200, the rest -200"), inputs.cliff, 4, 7),
    (said("the lowest values of the dtype"), inputs.lowest, 5, 6),
    (said("one -inf in each row"), inputs.one_minus_inf, 4, 12),
    (said("one outlier in each row"), inputs.outlier, 4, 13),
    (said("long rows"), inputs.randn, 2, 781),
    (said("very long rows"), inputs.randn, 1, 32768),
    (said("equal values"), inputs.constant, 1, 32768),
    (said("equal values, more than float16 can count"), inputs.constant, 1, 70001),
    (said("no lane to spare, first half +200, the rest -200"), inputs.cliff, 4, 8),
]


# Products of half precision with one of these are rounded. Below 1, none overflows that float32 can hold.
_SCALES = (0.65, 0.7, 0.6, 0.9)


def _half_cases(seed: int) -> list[Case]:
    case, cases = functools.partial(_half_case, random.Random(seed).choice(_SCALES)), []
    for i, (label, family, m, n) in enumerate(_MATRICES):
        for dtype in _HALF:
            x = family(m, n, inputs.generator(seed + i))
            if family is inputs.lowest:
                x = x.clamp(min=torch.finfo(dtype).min)  # -2.2e38 is below the lowest float16
            cases.append(case(label, x.to(dtype), interpreted_only=family is inputs.lowest))
    g = inputs.generator(seed)
    beyond, length = _beyond_float16(g).to(torch.bfloat16), softmax_function.any_length(seed)
    cases.append(case(said("values that only bfloat16 can hold"), beyond, interpreted_only=True))
    for dtype in _HALF:
        gaps, near = (inputs.row_strided(inputs.randn(3, 6, g).to(dtype), gap) for gap in (3, 1))
        cases += [
            case(said("wide gaps between the input's rows"), gaps, y_gap=1),
            case(said("wide gaps between the output's rows"), near, y_gap=2),
            case(said("programs in shuffled order"), inputs.randn(6, length, g).to(dtype), order="shuffled"),
        ]
    far = inputs.randn(5, 6, g).to(random.Random(seed).choice(_HALF))
    return [*cases, far_rows.case(lambda label: case(label, far))]


def _beyond_float16(g: torch.Generator) -> torch.Tensor:
    """An ordinary row, and rows beyond ±65504. No value is beyond ±1e38, so that log2(e) times each value is finite."""
    x = inputs.randn(4, 13, g)
    x[1] = 70144 + 512 * torch.arange(13)
    x[2], x[3] = 10.0 ** torch.arange(26, 39), -(10.0 ** torch.arange(38, 25, -1))
    return x


def _half_case(
    scale: float,
    label: str,
    x: torch.Tensor,
    y_gap: int = 0,
    order: str = "forward",
    interpreted_only: bool = False,
) -> Case:
    m, n = x.shape
    block, dtype = softmax_function.block(n), compare.name(x.dtype)
    wide = {"num_warps": 16} if block > 8192 else {}  # on a GPU, so that the block fits the registers of the threads
    call = Call(
        "launch",
        "half_softmax_kernel",
        (Out((m, n), dtype, (n + y_gap, 1)), x, n + y_gap, x.stride(0), n),
        {"SCALE": scale, "BLOCK": block} | wide,
        grid=(m,),
        order=order,
    )
    what = said("{label}, {dtype}, {m}×{n} in blocks of {block}", label=label, dtype=dtype, m=m, n=n, block=block)
    return softmax_function.kernel_case(
        what,
        x,
        call,
        facts={"x": (scale * x.double()).float()},  # detectors look at what the softmax is of
        verify=lambda e: softmax_function.stored(x, e.args[0], scale),
        interpreted_only=interpreted_only,
    )


_LENGTHS = ((1,), (6, 7, 9), (700, 781, 900), (4000, 4096, 5000), (32768,), (131072,))  # one of each is drawn
_PANEL = 20240229  # the same seed for every check: no answer gets the panel, and a verdict must not depend on chance


# The two steps of 7.2. Outputs of float16 also become subnormal, so its step needs both numbers.
_ROUNDING = said("float32 and bfloat16, where rounding is relative")
_SUBNORMAL = said("float16, where small outputs have few digits")


def _tolerance_cases(seed: int) -> list[Case]:
    lengths = list(map(random.Random(seed).choice, _LENGTHS))
    return [
        Case(
            said("{dtype}, n = {n}", dtype=compare.name(dtype), n=n),
            Call("call", "tolerance", (dtype, n)),
            verify=lambda e, dtype=dtype, n=n: tolerance.verify(e, dtype, n, _PANEL),
            size=n,
            may_call_library=True,  # an answer may measure the error of torch.softmax
            facts={"dtype": dtype, "n": n, "panel": functools.partial(tolerance.panel, dtype, n, _PANEL)},
            group=_SUBNORMAL if dtype == torch.float16 else _ROUNDING,
        )
        for n in lengths
        for dtype in tolerance.OFF
    ]


def _masked_cases(seed: int) -> list[Case]:
    """Each case has values, a mask, and gaps between the rows of the output, of the values or of the mask."""
    g, row_strided = inputs.generator(seed), inputs.row_strided

    def values(m: int, n: int) -> torch.Tensor:
        return inputs.randn(m, n, g)

    def some(m: int, n: int) -> torch.Tensor:
        keep = torch.rand(m, n, generator=g) < 0.6
        keep[:, n // 2] = keep[:, -1] = True
        keep[:, n // 3] = False
        return keep.to(torch.int8)

    def holding(value: float, kept: int, m: int = 4, n: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
        """Random values and mask, with `value` in the first kept (1) or first dropped (0) place of each row."""
        x, keep = values(m, n), some(m, n)
        places = keep == kept
        x[places & (places.cumsum(1) == 1)] = value
        return x, keep

    def without(rows: int, m: int = 4, n: int = 7) -> tuple[torch.Tensor, torch.Tensor]:
        """Random values and mask, with every entry of the last rows dropped."""
        x, keep = values(m, n), some(m, n)
        keep[-rows:] = 0
        return x, keep

    dead, keep = values(4, 8), some(4, 8)
    dead[1][keep[1] == 1] = -torch.inf
    square = values(7, 7)
    return [
        _masked_case(said("some entries dropped"), values(3, 5), some(3, 5)),
        _masked_case(said("every entry kept"), values(2, 6), torch.ones(2, 6, dtype=torch.int8)),
        _masked_case(
            said("every entry kept, no lane to spare"), inputs.cliff(4, 8, g), torch.ones(4, 8, dtype=torch.int8)
        ),
        _masked_case(said("one entry kept in each row"), values(4, 4), torch.eye(4, dtype=torch.int8).flip(1)),
        _masked_case(said("a dropped 10000 in each row"), *holding(1e4, kept=0)),
        _masked_case(said("a dropped 95 in each row"), *holding(95.0, kept=0)),  # exp(95) is inf, exp(-95) is not yet 0
        _masked_case(said("a dropped inf in each row"), *holding(torch.inf, kept=0)),
        _masked_case(said("a dropped NaN in each row"), *holding(torch.nan, kept=0)),
        _masked_case(said("a kept 0 in each row"), *holding(0.0, kept=1)),
        _masked_case(said("a kept outlier in each row"), *holding(25.0, kept=1)),
        _masked_case(said("a kept -inf in each row"), *holding(-torch.inf, kept=1)),
        _masked_case(said("a kept NaN in each row"), *holding(torch.nan, kept=1)),
        _masked_case(said("the last row keeps nothing"), *without(1)),
        _masked_case(said("two rows keep nothing"), *without(2)),
        _masked_case(said("a full row that keeps nothing"), *without(1, 3, 8)),
        _masked_case(said("a row whose kept entries are all -inf"), dead, keep),
        _masked_case(
            said("each row keeps what is not to its right"), square, torch.ones(7, 7, dtype=torch.int8).tril()
        ),
        _masked_case(said("values of -2.2e38"), inputs.lowest(4, 9, g), some(4, 9)),
        _masked_case(said("values around -200"), values(4, 9) - 200, some(4, 9)),
        _masked_case("100 ± 30", 100 + 30 * values(4, 10), some(4, 10)),
        _masked_case(said("long rows"), values(3, 781), some(3, 781)),
        # Four different numbers: the columns, and three strides.
        _masked_case(said("gaps of three widths"), row_strided(values(3, 6), 2), row_strided(some(3, 6), 1), y_gap=4),
        _masked_case(said("gaps between the rows of x"), row_strided(values(3, 6), 2), some(3, 6)),
        _masked_case(said("gaps between the rows of keep"), values(3, 6), row_strided(some(3, 6), 3)),
        _masked_case(said("gaps between the rows of y"), values(3, 6), some(3, 6), y_gap=3),
        _masked_case(
            said("programs in reversed order"), *without(2, 5, softmax_function.any_length(seed)), order="reversed"
        ),
        _masked_case(said("rows of 5000"), values(2, 5000), some(2, 5000)),
        far_rows.case(
            lambda label: _masked_case(label, values(5, 6), some(5, 6)),
            {"y_stride": (0, 3), "x_stride": (1, 4), "keep_stride": (2, 5)},
        ),
    ]


def _masked_case(label: str, raw: torch.Tensor, keep: torch.Tensor, y_gap: int = 0, order: str = "forward") -> Case:
    m, n = raw.shape
    y_stride, block = n + y_gap, softmax_function.block(n)
    x = raw.masked_fill(keep == 0, -torch.inf)
    strides = {"y_stride": y_stride, "x_stride": raw.stride(0), "keep_stride": keep.stride(0)}
    call = Call(
        "launch",
        "masked_softmax_kernel",
        (Out((m, n), strides=(y_stride, 1)), raw, keep, *strides.values(), n),
        {"BLOCK": block},
        grid=(m,),
        order=order,
    )
    return Case(
        said("{label}, {m}×{n} in blocks of {block}", label=label, m=m, n=n, block=block),
        call,
        # Beside a kept NaN, a dropped entry may be 0 or NaN.
        verify=lambda e: compare.softmax(x, e.args[0].masked_fill(x.isnan().any(1, True) & (keep == 0), torch.nan)),
        size=m * n,
        budget=(m * n, m * n),
        largest=softmax_function.most_lanes(block),
        may_read_less=True,
        unit=m * n,
        facts={"x": x, "raw": raw, "keep": keep, "out": 0, "block": block} | strides,
        interpreted_only=softmax_function.lowest(raw),
    )


EXERCISES = [
    Exercise(
        id="7.1",
        title="half_softmax_kernel",
        names=("half_softmax_kernel",),
        points=3,
        cases=_half_cases,
        kernels=True,
        hints=(
            said(
                "Half precision is for memory only. Between the load and the store, compute in float32, the "
                "product too."
            ),
            said("`block.to(dtype)` casts a block. A store converts to the dtype that its pointer points at."),
            said(
                "The load has the form `tl.load(<address>, mask=<mask>, other=<pad>).to(<dtype>)`; after "
                "it comes the product with SCALE, and the rest is lesson 05."
            ),
        ),
        mistakes=(*HALF_KERNEL, *ROW_PLACES, *SOFTMAX_PLACES),
        remarks=HALF_REMARKS,
    ),
    Exercise(
        id="7.2",
        title="tolerance",
        names=("tolerance",),
        points=2,
        cases=_tolerance_cases,
        groups=(_ROUNDING, _SUBNORMAL),
        parts=True,
        hints=(
            said(
                "rtol is for rounding, whose error is relative to the value. atol is for values that "
                "are so small that the dtype has few digits for them."
            ),
            said(
                "torch.finfo(dtype) knows eps, the distance from 1 to the next number, and "
                "smallest_normal. A softmax in float32 adds a few millionths."
            ),
            said(
                "A pair of the form `<a few> * max(<eps of the dtype>, <error of float32>), "
                "<distance between two of the smallest numbers>`. The lesson computes that distance "
                "for float16, under the name `spacing`."
            ),
        ),
        mistakes=TOLERANCE,
    ),
    Exercise(
        id="7.3",
        title="masked_softmax_kernel",
        names=("masked_softmax_kernel",),
        points=2,
        cases=_masked_cases,
        kernels=True,
        hints=(
            said("A dropped entry should be like a masked lane: its value may not change the maximum or the sum."),
            said(
                "tl.where(condition, a, b) takes a or b in each lane, and does not compute with "
                "them. keep has its own row stride."
            ),
            said(
                "`keep = tl.load(<address in keep>, ...)`, then `x = tl.where(<kept>, x, <what loses "
                "every max>)`, and lesson 05 after that."
            ),
        ),
        mistakes=(*MASKED_KERNEL, *ROW_PLACES, *SOFTMAX_PLACES),
    ),
]
