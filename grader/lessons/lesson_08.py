"""Lesson 08: online softmax. The state of a row in one walk, the merge of states, a kernel for rows of any length."""

from __future__ import annotations

import math
import pathlib
import random
from dataclasses import replace

import torch

from ..checks import compare, inputs
from ..mistakes.softmax.function import WRAPPER_PLACES
from ..mistakes.softmax.online import MERGE, NORMALIZER, TILED_WALK
from ..mistakes.softmax.promises import BLOCK_RANGE, NUMBERS_KEPT
from ..reference import far_rows, online, softmax_function
from ..sentence import joined, said
from ..spec import Call, Case, Evidence, Exercise, Once, Out

_DRIVERS = pathlib.Path(__file__).parent / "drivers"


def _state_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    a = rng.randint(1, 9) / 2
    lists = [
        (said("one number"), [a + 2]),
        (said("ascending"), [a, a + 1, a + 2]),
        (said("descending"), [a + 2, a + 1, a]),
        (said("equal numbers"), [a] * 4),
        (said("a -inf in the middle"), [a + 1, -torch.inf, a]),
        (said("-inf first"), [-torch.inf, -torch.inf, a, a + 1]),
        (said("only -inf"), [-torch.inf] * rng.randint(4, 6)),
        (said("around -200"), [-200.0 - a - i % 3 for i in range(7)]),
        (said("around -1e38"), [-1e38 - rng.randint(1, 9) * 1e36] * 8),
        (said("the lowest float32 again and again"), [torch.finfo(torch.float32).min] * rng.randint(5, 50)),
        (said("a cliff down"), [200.0 + a] * 4 + [-200.0] * 4),
        (said("a cliff up"), [-200.0] * 4 + [200.0 + a] * 5),
        (
            said("1000 apart"),
            [a] * 40 + [1000.0 + a] * 20,
        ),  # late, because exp raises an error on the way of many mistakes
        (said("random"), [rng.gauss(0, 3) for _ in range(50)]),
        (said("no number at all"), []),
    ]
    return [*(_state_case(label, xs) for label, xs in lists), _kept_case([rng.gauss(0, 3) for _ in range(64)])]


def _kept_case(xs: list[float]) -> Case:
    """A walk that says how many numbers it has in memory at once: a remark for its author, and no evidence."""
    want = online.state(xs)

    def verify(evidence: Evidence) -> str | None:
        (state, _) = evidence.value if isinstance(evidence.value, list) else (evidence.value, 0)
        return compare.state(state, want)

    return Case(
        said("a walk along {count} numbers", count=len(xs)),
        Call("call", "check_numbers_kept", (xs,)),
        verify,
        size=2000,
        facts={"walk": len(xs)},
    )


def _state_case(label: str, xs: list[float]) -> Case:
    want = online.state(xs)
    return Case(
        label,
        Call("call", "online_normalizer", (Once(xs),)),
        verify=lambda e: compare.state(e.value, want),
        size=len(xs) or 1000,  # the empty list is the smallest, but not the simplest case to report
        facts={"xs": xs, "want": want},
    )


def _merge_cases(seed: int) -> list[Case]:
    rng = random.Random(seed)
    some = [rng.gauss(0, 2) for _ in range(12)]
    a = rng.randint(-8, 8) / 4
    halves = [
        (said("two states"), [a + 1, a + 2], [a + 0.5, a + 3]),
        (said("the larger maximum first"), [a + 5, a + 1], [a + 2, a + 2, a + 1]),
        (said("the same maximum"), [a + 4, a + 4], [a + 4, a + 1]),
        (said("a state and nothing"), [a + 1, a + 2], []),
        (said("nothing and a state"), [], [a + 1, a + 2]),
        (said("nothing and nothing"), [], []),
        (said("random"), some[:5], some[5:]),
        (said("1000 apart"), [a + 1000] * 3, [a] * 3),
        (said("1000 apart, the other way round"), [a] * 3, [a + 1000] * 3),
    ]
    cases = [
        _merge_case(label, online.state(a), online.state(b), online.state(a + b), size)
        for size, (label, a, b) in enumerate(halves)
    ]
    # A float32 still shows the share of a billion numbers that lie 31 below the maximum.
    top, many = (a + 31.0, 1.0), (a, 1e9)
    both = a + 31.0, 1 + 1e9 * math.exp(-31)
    return [
        *cases,
        _merge_case(said("one number, and a billion far below it"), top, many, both, 20),
        _merge_case(said("a billion numbers, and one far above them"), many, top, both, 21),
    ]


def _merge_case(label: str, a: online.State, b: online.State, want: online.State, size: int) -> Case:
    shown = joined("{one} and {two}", [f"({m:.4g}, {d:.4g})" for m, d in (a, b)])
    return Case(
        joined("{one}, {two}", [label, shown]),
        Call("call", "merge", (a, b)),
        verify=lambda e: compare.state(e.value, want),
        size=size,
        facts={"a": a, "b": b, "want": want},
    )


_MATRICES = [  # label, family of inputs, rows, columns, lanes
    (said("a row that fits its block"), inputs.randn, 2, 3, 4),
    (said("two tiles"), inputs.randn, 2, 8, 4),
    (said("ragged"), inputs.randn, 2, 7, 4),
    (said("ascending"), inputs.ascending, 3, 9, 4),
    (said("descending"), inputs.descending, 3, 9, 4),
    (said("one column"), inputs.randn, 5, 1, 4),
    (said("around -200"), inputs.far_below_zero, 2, 10, 4),
    ("100 ± 30", inputs.large, 2, 10, 4),
    (said("first half +200, the rest -200"), inputs.cliff, 2, 16, 8),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 2, 16, 8),
    (said("a first tile of -inf"), inputs.leading_minus_inf, 2, 12, 4),
    (said("constant rows"), inputs.constant, 3, 11, 4),
    (said("one -inf in each row"), inputs.one_minus_inf, 3, 12, 4),
    (said("one outlier in each row"), inputs.outlier, 3, 13, 4),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 4, 13, 4),
    (said("a last tile of -inf"), inputs.trailing_minus_inf, 2, 12, 4),
    (said("values of -2.2e38"), inputs.lowest, 2, 14, 8),
    (said("one short of five tiles"), inputs.randn, 2, 79, 16),
    ("7×257", inputs.randn, 7, 257, 64),
    (said("values near the lowest float32"), inputs.at_the_end, 2, 14, 8),
]


def _kernel_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n, block) in enumerate(_MATRICES):
        cases.append(_kernel_case(label, family(m, n, inputs.generator(seed + i)), block))
    g = inputs.generator(seed)
    x, many = inputs.randn(2, 300, g), random.Random(seed).randint(170, 230)
    cases += [_kernel_case(said("the same row, another block"), x, block) for block in (16, 128, 512)]
    cases.append(_kernel_case(said("a row of many tiles"), inputs.randn(1, many, g), 4))
    cases += [
        _kernel_case(said("wide gaps between the input's rows"), inputs.row_strided(inputs.randn(3, 6, g)), 4, y_gap=1),
        _kernel_case(said("programs in reversed order"), inputs.randn(4, 9, g), 4, order="reversed"),
        _kernel_case(
            said("programs in shuffled order"), inputs.row_strided(inputs.randn(6, 9, g)), 4, y_gap=5, order="shuffled"
        ),
        far_rows.case(lambda label: _kernel_case(label, inputs.randn(5, 6, g), 4)),
    ]
    return cases


def _kernel_case(label: str, x: torch.Tensor, block: int, y_gap: int = 0, order: str = "forward") -> Case:
    m, n = x.shape
    args = (Out((m, n), strides=(n + y_gap, 1)), x, n + y_gap, x.stride(0), n)
    return softmax_function.kernel_case(
        said("{label}, {m}×{n} in tiles of {block}", label=label, m=m, n=n, block=block),
        x,
        Call("launch", "online_softmax_kernel", args, {"BLOCK": block}, grid=(m,), order=order),
        walks=2,
        tile=block,
        largest=2 * block,
        loads=softmax_function.OF_A_WALK,
    )


_SHAPES = [  # label, family of inputs, rows, columns
    (said("randn"), inputs.randn, 2, 4),
    (said("one row"), inputs.randn, 1, 6),
    (said("one column"), inputs.randn, 20, 1),
    (said("around -200"), inputs.far_below_zero, 3, 6),
    (said("first half +200, the rest -200"), inputs.cliff, 3, 10),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 3, 11),
    (said("one -inf in each row"), inputs.one_minus_inf, 4, 12),
    (said("values of -2.2e38"), inputs.lowest, 3, 14),
    (said("values near the lowest float32"), inputs.at_the_end, 3, 15),
    (said("many rows"), inputs.randn, 130, 3),
    (said("rows of 5000"), inputs.randn, 2, 5000),
    (said("rows of 5000, ascending"), inputs.ascending, 2, 5001),
    (said("a row of 1,100,000"), inputs.randn, 1, 1_100_000),
]
_BLOCKS = (1024, 16384)  # the least and the largest block of a long row


def _long_row(x: torch.Tensor) -> Case:
    """A row longer than a block may be: the numbers, and then the block."""
    case = softmax_function.case("online_softmax", said("a row of {shape}", shape=f"{x.shape[1]:,}"), x, walks=2)

    return replace(
        case,
        verify=lambda e: case.verify(e) or online.block_fault(e, *_BLOCKS),
        facts=case.facts | {"block_range": _BLOCKS},
    )


def _in_a_block(case: Case) -> Case:
    """A case whose rows fit a block, so that a function may read them once, with another kernel."""
    return replace(case, may_read_less=True, least_read=case.facts["x"].numel())


def _wrapper_cases(seed: int) -> list[Case]:
    g, size = inputs.generator(seed), random.Random(seed).randint(2, 99)
    cases = [
        _in_a_block(softmax_function.case("online_softmax", inputs.sized(label, m, n), family(m, n, g), walks=2))
        for label, family, m, n in _SHAPES
    ]
    return [
        *cases,
        softmax_function.case(
            "online_softmax", said("rows with gaps between them, 3×6"), inputs.row_strided(inputs.randn(3, 6, g))
        ),
        _in_a_block(_long_row(inputs.randn(1, 5003, g))),
        *(_long_row(inputs.randn(1, columns, g)) for columns in (20_001, 40_000)),
        softmax_function.case(
            "online_softmax", said("a transposed view, 4×6"), inputs.column_strided(inputs.randn(4, 6, g))
        ),
        softmax_function.case(
            "online_softmax", said("every other column, 4×6"), inputs.every_other_column(inputs.randn(4, 6, g))
        ),
        softmax_function.case(
            "online_softmax", said("one column, expanded to 4×6"), inputs.expanded(inputs.randn(4, 6, g))
        ),
        softmax_function.first_result("online_softmax", *inputs.randn(6, 7, g).split(3)),
        softmax_function.empty(said("a matrix without rows"), "online_softmax", 0, size),
        softmax_function.empty(said("rows without columns"), "online_softmax", size, 0),
        _in_a_block(
            softmax_function.case(
                "online_softmax",
                said("one row of a wider matrix, 1×6"),
                inputs.row_strided(inputs.randn(1, 6, g)),
                walks=2,
            )
        ),
        softmax_function.case(
            "online_softmax",
            said("rows 6 apart, columns 24 apart, 4×6"),
            inputs.apart_both_ways(inputs.large(4, 6, g)),
            walks=2,
        ),
        softmax_function.more_rows_than_an_axis("online_softmax", seed),
        *softmax_function.any_lengths(
            seed,
            lambda label, x: _in_a_block(
                softmax_function.case("online_softmax", inputs.sized(label, *x.shape), x, walks=2)
            ),
        ),
        far_rows.of_function(
            softmax_function.case("online_softmax", far_rows.LABEL, inputs.randn(3, 6, g), walks=2), 0, may_refuse=True
        ),
        *softmax_function.refusals("online_softmax", g),
    ]


EXERCISES = [
    Exercise(
        id="8.1",
        title="online_normalizer",
        names=("online_normalizer",),
        points=2,
        cases=_state_cases,
        hints=(
            said("Keep two numbers while you walk: the largest value so far, and the sum of exp(x - largest so far)."),
            said(
                "When a new value is larger, every term of the old sum is too large by the same "
                "factor. Which factor is it?"
            ),
            said(
                "Inside the loop: `<new maximum> = ...`, then `d = <old sum, relative to the new "
                "one> + <term of x>`. The next step needs the new maximum. Which of your differences "
                "can be -inf minus -inf?"
            ),
        ),
        mistakes=NORMALIZER,
        remarks=NUMBERS_KEPT,
        driver=(_DRIVERS / "numbers_kept.py").read_text(encoding="utf-8"),
    ),
    Exercise(
        id="8.2",
        title="merge",
        names=("merge",),
        points=1,
        cases=_merge_cases,
        hints=(
            said("Both sums must refer to the same maximum before they may be added."),
            said("Each side has its own factor: exp of its maximum minus the common one."),
            said("`m = max(ma, mb)`, then a sum of two products. A side with d = 0 adds nothing, for any m."),
        ),
        mistakes=MERGE,
    ),
    Exercise(
        id="8.3",
        title="online_softmax_kernel",
        names=("online_softmax_kernel",),
        points=2,
        cases=_kernel_cases,
        kernels=True,
        hints=(
            said(
                "The steps of 8.1, with a tile of BLOCK values in place of one value. Then a second walk that stores."
            ),
            said(
                "Each tile has a maximum and a sum, and each of them is one reduction. What is the "
                "mask of the last tile?"
            ),
            said(
                "`for start in range(0, n_cols, BLOCK):`, twice. In the first: load, new maximum, "
                "new sum, in this order; in the second: load, `tl.exp(<tile> - <maximum>) / <sum>`, "
                "store."
            ),
        ),
        mistakes=TILED_WALK,
    ),
    Exercise(
        id="8.4",
        title="online_softmax",
        names=("online_softmax",),
        points=2,
        cases=_wrapper_cases,
        driver=(_DRIVERS / "first_result.py").read_text(encoding="utf-8"),
        kernels=True,
        hints=(
            said("Like fused_softmax in lesson 05, but the block does not grow with the length of the row."),
            said("The widest block is a number that you choose once, such as 4096. Longer rows get no wider block."),
            said(
                "`online_softmax_kernel[<a program for each ...>](y, x, <the other parameters, in "
                "their order>, BLOCK=<your number>)`"
            ),
        ),
        mistakes=(*BLOCK_RANGE, *WRAPPER_PLACES, *TILED_WALK),
    ),
]
