"""Lesson 04: the softmax of one row in one program. The kernel, the value of masked lanes, the size of the block."""

from __future__ import annotations

import random

from ..checks import inputs
from ..mistakes.kernels import BLOCK_SIZE, PADS
from ..mistakes.softmax.columns import SOFTMAX_PLACES
from ..reference import pads, softmax_function
from ..sentence import said
from ..spec import Call, Case, Evidence, Exercise, Out, Unreadable

_ROWS = [  # label, family of inputs, columns, lanes
    (said("a row that fills its block"), inputs.randn, 4, 4),
    (said("ragged"), inputs.randn, 5, 8),
    (said("ragged, around -200"), inputs.far_below_zero, 7, 8),
    ("100 ± 30", inputs.large, 8, 8),
    (said("ragged, 100 ± 30"), inputs.large, 6, 8),
    (said("ascending"), inputs.ascending, 9, 16),
    (said("descending"), inputs.descending, 9, 16),
    (said("first half +200, the rest -200"), inputs.cliff, 10, 16),
    (said("constant"), inputs.constant, 11, 16),
    (said("one -inf"), inputs.one_minus_inf, 12, 16),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 13, 16),
    (said("a single column"), inputs.randn, 1, 16),
    (said("ragged, values of -2.2e38"), inputs.lowest, 14, 16),
    (said("one outlier"), inputs.outlier, 15, 16),
    (said("a block much wider than the row"), inputs.randn, 17, 128),
    (said("one short of a power of two"), inputs.randn, 127, 128),
    (said("as in the well-known 1823×781"), inputs.randn, 781, 1024),
    (said("ragged, values near the lowest float32"), inputs.at_the_end, 14, 16),
    (said("rows of 5000"), inputs.randn, 5000, 8192),
]


def _row_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, n, block) in enumerate(_ROWS):
        x = family(1, n, inputs.generator(seed + i))
        call = Call("launch", "softmax_row_kernel", (Out((1, n)), x, n), {"BLOCK": block}, grid=(1,))
        cases.append(
            Case(
                said("{label}, 1×{n} in a block of {block}", label=label, n=n, block=block),
                call,
                verify=lambda e, x=x: softmax_function.stored(x, e.args[0]),
                size=block,
                budget=(n, n),
                largest=softmax_function.most_lanes(block),
                unit=n,
                facts={"x": x, "out": 0, "block": block},
                interpreted_only=softmax_function.lowest(x),
            )
        )
    return cases


def _pad_cases(seed: int) -> list[Case]:
    return [
        Case(
            said("kernel {entry}", entry=entry),
            Call("value", "pads"),
            verify=lambda e, entry=entry: pads.fault(e.value, entry),
            size=size,
            facts={"entry": entry},
        )
        for size, entry in enumerate(pads.KERNELS)
    ]


def _columns(seed: int) -> list[int]:
    """Numbers of columns: small ones, the neighbours of drawn powers of two, and any."""
    rng = random.Random(seed)
    powers = [1 << rng.choice(some) for some in ((2, 3), (5, 6, 7), (9, 10, 11), (15, 16, 17))]
    beside = [power + more for power in powers for more in (-1, 0, 1)]
    any_ = [rng.randint(10, 30), rng.randint(200, 500), rng.randint(600, 899), rng.randint(9000, 16000)]
    return sorted({1, 2, 3, *beside, *any_, rng.randint(600_000, 1_000_000)})


def _block_cases(seed: int) -> list[Case]:
    return [
        Case(
            said("n_cols = {n}", n=n),
            Call("call", "block_size", (n,)),
            verify=lambda e, n=n: _wrong_block(e, n),
            size=n,
            facts={"n": n},
        )
        for n in _columns(seed)
    ]


def _wrong_block(evidence: Evidence, n: int) -> str | None:
    """None when the value is the smallest power of two that is at least n, else a sentence."""
    got = evidence.value
    if isinstance(got, bool) or not isinstance(got, int):
        return said(
            "{value} came back, expected an int",
            value=said("a {kind}", kind=got.kind) if isinstance(got, Unreadable) else repr(got),
        )
    if got < 1 or got & (got - 1):
        return said("{got} came back, which is not a power of two", got=got)
    if got < n:
        return (
            said("{got} came back: {value} of the {n} columns have no lane", got=got, value=n - got, n=n)
            if n - got > 1
            else said("{got} came back: {value} of the {n} columns has no lane", got=got, value=n - got, n=n)
        )
    if got >= 2 * n:
        return said("{got} came back: at least half of the lanes stay idle", got=got)
    return None


EXERCISES = [
    Exercise(
        id="4.1",
        title="softmax_row_kernel",
        names=("softmax_row_kernel",),
        points=3,
        cases=_row_cases,
        kernels=True,
        hints=(
            said(
                "A load, and the five steps of lesson 01 in four lines, on a block that stays on the chip: "
                "maximum; difference and exp; sum; division."
            ),
            said(
                "tl.max and tl.sum turn a block into one number along axis 0; tl.exp works on every lane. Follow a "
                "masked lane through all of them: what must it hold to change neither the maximum nor the sum?"
            ),
            said(
                "The forms of the lines: `tl.load(<address>, mask=<mask>, other=<pad>)`, `tl.max(<block>, axis=0)`, "
                "`tl.exp(<block> - <number>)`, `tl.sum(<block>, axis=0)`, `<block> / <number>`."
            ),
        ),
        mistakes=SOFTMAX_PLACES,
    ),
    Exercise(
        id="4.2",
        title="pads",
        names=("pads",),
        points=1,
        cases=_pad_cases,
        open_book=said("the answer is a few values, which are the same for everybody"),
        hints=(
            said(
                "A masked lane goes through every line, like any other. Follow one of them from the "
                "load to the reduction."
            ),
            said(
                "What does the lane hold when it reaches the reduction? A sum must get exactly 0 "
                "from it. A minimum must get a number that is at least as large as every value of "
                "every row."
            ),
            said(
                "Three entries are numbers; Python writes infinity as float(...), with a word in "
                "quotes. In the other kernel, count how often the block is reduced."
            ),
        ),
        mistakes=PADS,
    ),
    Exercise(
        id="4.3",
        title="block_size",
        names=("block_size",),
        points=1,
        cases=_block_cases,
        hints=(
            said("tl.arange(0, BLOCK) needs a power of two, and every column needs a lane."),
            said("Start at 1 and double, or ask how many bits the number before n_cols has."),
            said("triton has a function with this name: next_power_of_2."),
        ),
        mistakes=BLOCK_SIZE,
    ),
]
