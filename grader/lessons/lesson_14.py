"""Lesson 14, measure and ship: a benchmark that rejects impossible results, and a softmax that chooses its kernel."""

from __future__ import annotations

import pathlib
import random

import torch

from ..checks import inputs
from ..mistakes.bandwidth import BANDWIDTH
from ..mistakes.routing import PICK, ROUTE
from ..reference import bandwidth, far_rows, routing, softmax_function
from ..sentence import said
from ..spec import Case, Exercise

_DRIVERS = pathlib.Path(__file__).parent / "drivers"
_TWICE_DRIVER = (_DRIVERS / "first_result.py").read_text(encoding="utf-8")
_SOFTMAX_DRIVER = "\n\n".join([(_DRIVERS / "softmax.py").read_text(encoding="utf-8"), _TWICE_DRIVER])

# Rows, columns, dtype. The disturbed calls differ from case to case, so that no single run is reliable.
_MEASURED = [
    (1000, 2000, "float64"),
    (4096, 781, "float32"),
    (4096, 1000, "float32"),
    (4096, 2000, "float16"),
    (1, 9000000, "bfloat16"),
    (4096, 781, "float32"),  # once more, at another speed
]


def _bandwidth_cases(seed: int) -> list[Case]:
    chance = random.Random(seed)
    first, earlier = chance.randrange(5), 0.0
    cases = []
    for i, (m, n, dtype) in enumerate(_MEASURED):
        # From 400 to 1600 GB/s, so that an answer may round to whole GB/s.
        microseconds = round(2 * m * n * getattr(torch, dtype).itemsize / chance.uniform(4e5, 16e5), 3)
        if i == len(_MEASURED) - 1:  # clearly faster than the case of this shape, so that times kept from there matter
            microseconds = round(earlier * chance.uniform(0.3, 0.6), 3)
        earlier = microseconds if i == 1 else earlier
        cases.append(bandwidth.case(m, n, dtype, microseconds, (first + i) % 5, seed + i))
    compared = [
        bandwidth.case(2048, n, "float32", round(chance.uniform(19, 22), 1), i, seed + 10 + i, share)
        for i, (n, share) in enumerate([(1000, 1.02), (1000, 0.9), (2000, 0.25)])
    ]
    return [*cases, bandwidth.peak_case(chance.randint(2000, 6000)), *compared]


_HALF, _BRAIN, _SINGLE = torch.float16, torch.bfloat16, torch.float32
# Rows and columns, of which one each is drawn; dtype, the launchers that suit them on an NVIDIA GPU, the mistake of any
# other choice.
_CHOICES = [
    (range(56, 64), range(904, 1001, 8), _SINGLE, ("tile", "two"), "row-not-held"),
    (range(240, 273), range(12352, 13057, 64), _SINGLE, ("tile", "two", "split", "online"), "row-not-held"),
    (range(56, 73), range(701, 1000, 4), _HALF, ("odd",), "vectors-unused"),
    (range(64, 73), range(1002, 1023, 4), _HALF, ("odd",), "vectors-unused"),
    (range(28, 37), (32768,), _BRAIN, ("pairs", "shared"), "pairs-unused"),
    (range(7, 10), range(50001, 52000, 2), _BRAIN, ("split", "online"), "beyond-the-registers"),
    (range(512, 529), range(50001, 52000, 2), _BRAIN, ("split", "online"), "beyond-the-registers"),
    ((2,), range(32769, 36000, 2), _SINGLE, ("split", "online", "shared"), "beyond-the-registers"),
    ((2,), range(37000, 44001, 4), _SINGLE, ("split", "online", "shared"), "beyond-the-registers"),
    (range(128, 137), (131072,), _SINGLE, ("shared",), "sharing-unused"),
    (range(256, 265), (131072,), _BRAIN, ("shared",), "sharing-unused"),
]
# Label, input family, rows, columns, dtype.
_MATRICES = [
    (said("a single element"), inputs.randn, 1, 1, _SINGLE),
    (said("randn"), inputs.randn, 3, 5, _SINGLE),
    (said("one column"), inputs.randn, 130, 1, _BRAIN),
    ("100 ± 30", inputs.large, 5, 7, _HALF),
    (said("values around -200"), inputs.far_below_zero, 3, 9, _SINGLE),
    (said("values of -2.2e38"), inputs.lowest, 3, 14, _SINGLE),
    (said("values near the lowest float32"), inputs.at_the_end, 3, 13, _SINGLE),
    (said("ascending"), inputs.ascending, 4, 11, _SINGLE),
    (said("first half +200, the rest -200"), inputs.cliff, 3, 16, _SINGLE),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 3, 17, _BRAIN),
    (said("one -inf in each row"), inputs.one_minus_inf, 33, 8, _HALF),
    (said("the first half of each row -inf"), inputs.leading_minus_inf, 4, 64, _BRAIN),
    (said("one outlier in each row"), inputs.outlier, 2, 512, _SINGLE),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 4, 24, _SINGLE),
    (said("odd rows"), inputs.randn, 3, 781, _BRAIN),
    (said("odd rows"), inputs.large, 4, 781, _HALF),
    (said("odd rows"), inputs.cliff, 5, 1001, _SINGLE),
    (said("a power of two"), inputs.randn, 4, 1024, _BRAIN),
    (said("one more than a power of two"), inputs.leading_minus_inf, 2, 4097, _SINGLE),
    (said("the longest row that is read once"), inputs.randn, 2, 8192, _SINGLE),
    (said("the longest row that is read once"), inputs.large, 3, 8192, _HALF),
    (said("rows that fill a block"), inputs.randn, 2, 32768, _HALF),
    (said("a long row"), inputs.leading_minus_inf, 2, 8193, _SINGLE),
    (said("a long row of -2.2e38"), inputs.lowest, 2, 12001, _SINGLE),
    (said("long rows"), inputs.randn, 2, 12672, _BRAIN),
    (said("a long power of two"), inputs.outlier, 2, 16384, _HALF),
    (said("long rows"), inputs.cliff, 3, 20000, _SINGLE),
    (said("a vocabulary"), inputs.randn, 2, 50257, _BRAIN),
    (said("longer odd rows"), inputs.randn, 1, 131073, _HALF),
    (said("a vocabulary"), inputs.large, 1, 128256, _SINGLE),
]


_OWN = [  # as in _MATRICES, for kernels that are the learner's
    (said("many short rows"), inputs.randn, 130, 24, _SINGLE),
    (said("many short rows"), inputs.large, 600, 64, _BRAIN),
    (said("rows of nearly 1024"), inputs.randn, 70, 1000, _SINGLE),
    (said("many rows of 2000"), inputs.randn, 130, 2000, _SINGLE),
    (said("many short odd rows"), inputs.rising_cliff, 67, 33, _HALF),
    (said("rows longer than a block may be"), inputs.up_and_down, 2, 32_800, _SINGLE),
    (said("rows of -2.2e38, longer than a block may be"), inputs.lowest, 2, 32_801, _SINGLE),
]


def _any_matrix(seed: int, name: str, own: bool) -> list[Case]:
    """Matrices of all shapes, dtypes and strides, and inputs that the function `name` must refuse."""
    cases = []
    for i, (label, family, m, n, dtype) in enumerate(_MATRICES + (_OWN if own else [])):
        cases.append(routing.case(label, family(m, n, inputs.generator(seed + i)).to(dtype), name=name, own=own))
    g = inputs.generator(seed)
    matrix, long = inputs.randn(6, 40, g), inputs.randn(2, 9001, g)
    views = [
        (said("gaps between the rows"), inputs.row_strided(matrix)),
        (said("gaps between odd rows"), inputs.row_strided(inputs.randn(4, 301, g).half(), 4)),
        (said("every other column"), inputs.randn(3, 24, g)[:, ::2]),
        (said("one column, expanded"), inputs.expanded(inputs.randn(4, 6, g))),
    ]
    twice = softmax_function.first_result(name, *inputs.randn(6, 7, g).split(3))
    views += [
        (said("a transposed view"), inputs.column_strided(matrix).bfloat16()),
        (said("rows 6 apart, columns 24 apart"), inputs.apart_both_ways(inputs.randn(4, 6, g))),
        (said("gaps between long rows"), inputs.row_strided(long)),
        (said("gaps between longer rows"), inputs.row_strided(inputs.randn(2, 33_001, g))),
        (said("a transposed view of long rows"), inputs.column_strided(long)),
    ]
    cases += [twice, *(routing.case(label, view, name=name, own=own) for label, view in views)]
    if own:
        cases += softmax_function.any_lengths(seed, lambda label, x: routing.case(label, x, name=name, own=True))
        for n in (random.Random(seed).randint(20, 60), 2000, 33_000):
            far = routing.case(far_rows.LABEL, inputs.randn(3, n, g).half(), name=name, own=own)
            cases.append(far_rows.of_function(far, 0))
        # Rows that overlap, so that the matrix is small to send.
        rng = random.Random(seed)
        for rows in (rng.randint(513, 528), rng.randint(90, 110)):
            many = inputs.up_and_down(1, 36_000, g).half().as_strided((rows, rng.randint(32_769, 33_000)), (2, 1))
            # From both ends, so that a launch that takes the rows backwards computes the same ones.
            drawn = rng.sample(range(rows // 2), 2)
            cases.append(routing.some_rows(many, sorted([*drawn, *(rows - 1 - row for row in drawn)]), name))
    cases.append(routing.case(said("a row that is alone"), inputs.randn(1, 1 << 20, g), alone=True, name=name, own=own))
    whole = torch.randperm(6, generator=g).reshape(2, 3)
    unfit = [
        (said("a list"), matrix[0, :2].tolist()),
        ("None", None),
        (said("a tensor without dimensions"), matrix[0, 0].clone()),
        (said("integers"), whole),
        (said("32-bit integers"), whole.int()),
        (said("8-bit integers"), whole.to(torch.int8)),
        (said("true and false"), whole > 2),
        (said("one dimension"), matrix[0, :5].clone()),
        (said("three dimensions"), matrix.reshape(3, 2, 40)),
        (said("four dimensions"), matrix.reshape(3, 2, 8, 5)),
        ("float64", inputs.randn(2, 5, g).double()),
        ("float8", inputs.randn(2, 5, g).to(torch.float8_e4m3fn)),
    ]
    return cases + [routing.unfit(label, x, name) for label, x in unfit]


def _own_cases(seed: int) -> list[Case]:
    return _any_matrix(seed, "my_softmax", own=True)


def _softmax_cases(seed: int) -> list[Case]:
    chance = random.Random(seed)
    choices = [routing.choice(chance.choice(m), chance.choice(n), *rest) for m, n, *rest in _CHOICES]
    return _any_matrix(seed, "softmax", own=False) + choices


EXERCISES = [
    Exercise(
        id="14.1",
        title="bandwidth",
        names=("bandwidth",),
        points=1,
        cases=_bandwidth_cases,
        driver=(_DRIVERS / "bandwidth.py").read_text(encoding="utf-8"),
        modules=("grader.simulated",),
        hints=(
            said(
                "Three things come before the clock starts: the calls that warm up, an empty cache, "
                "an empty queue. One more comes before it stops: the device has finished."
            ),
            said(
                "Collect the time of each run in a list, and take its `statistics.median`. Bytes "
                "over seconds, over 1e9, are GB/s. Compare them with `peak(x)`."
            ),
            said(
                "In the loop: `clock.clear_cache()`, wait, `start = clock.now()`, <the call>, wait, "
                "`times.append(<difference>)`."
            ),
        ),
        mistakes=BANDWIDTH,
    ),
    Exercise(
        id="14.2",
        title="my_softmax",
        names=("my_softmax",),
        points=1,
        cases=_own_cases,
        kernels=True,
        driver=_TWICE_DRIVER,
        hints=(
            said("Ask two questions of a matrix: how long is a row, and how many rows are there?"),
            said(
                "Short rows go into tiles. A longer row that one program can hold has a program of "
                "its own. If rows are longer still: many rows keep the device busy with one program "
                "each, and a few rows do not."
            ),
            said(
                "In my_route: `if n_cols <= <a limit>: return by_tiles`, and so on. In my_softmax: "
                "refuse, make y, make the columns neighbours, `my_route(x)(y, x)`."
            ),
        ),
        mistakes=ROUTE,
    ),
    Exercise(
        id="14.3",
        title="softmax",
        names=("softmax",),
        points=2,
        cases=_softmax_cases,
        kernels=True,
        driver=_SOFTMAX_DRIVER,
        modules=("grader.fast",),
        hints=(
            said(
                "Begin with the kernels that read a row once: when can each of them be used? The "
                "other rows take two walks or two launches."
            ),
            said(
                "These questions decide: how long is a row, how many bytes does an element have, how "
                "many rows are there, and may the kernel take rows with these addresses and gaps? "
                "For `pairs` and `shared`, ask `can_pair` and `can_share` first."
            ),
            said(
                "`if <a row fits>: return pick.tile`, and so on; the last line returns a kernel that "
                "takes every matrix. In softmax: refuse, make y, make the columns neighbours, "
                "`kernel_for(x)(y, x)`."
            ),
        ),
        mistakes=PICK,
        groups=(routing.CHOICES,),
        last_step=1,
        bonus=True,
    ),
]
