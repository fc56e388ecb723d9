"""Lesson 15, tune: predict which configurations are worth timing, choose one, and let Triton tune a kernel in place."""

from __future__ import annotations

import pathlib
import random

from ..checks import inputs
from ..mistakes.tuning import CONFIGURATION, TUNED, WORTH
from ..reference import autotuned, tuning
from ..sentence import said
from ..spec import Case, Exercise

_DRIVERS = pathlib.Path(__file__).parent / "drivers"
_DRIVER, _LIST_DRIVER = ((_DRIVERS / name).read_text(encoding="utf-8") for name in ("tuned.py", "callers_list.py"))

_TUNED = [  # label, family of inputs, rows, columns, number of the fastest configuration
    (said("one row"), inputs.randn, 1, 5, 0),
    (said("more rows than a tile"), inputs.randn, 37, 6, 0),
    (said("more rows than a tile"), inputs.randn, 37, 6, 1),
    (said("more rows than a tile"), inputs.randn, 35, 7, 2),
    (said("more rows than a tile"), inputs.randn, 33, 7, 3),
    (said("more rows than a tile"), inputs.randn, 41, 7, -1),
    ("100 ± 30", inputs.large, 9, 6, 1),
    (said("rows far apart"), inputs.rows_apart, 14, 5, 0),
    (said("rows far apart"), inputs.rows_apart, 14, 5, -1),
    (said("around -200"), inputs.far_below_zero, 6, 15, 2),
    (said("first half +200, the rest -200"), inputs.cliff, 5, 13, 3),
    (said("one -inf in each row"), inputs.one_minus_inf, 7, 8, 0),
    (said("one column"), inputs.randn, 70, 1, 1),
    (said("longer rows"), inputs.randn, 3, 300, 2),
    (said("values of -2.2e38"), inputs.lowest, 5, 6, 2),
    (said("many rows"), inputs.randn, 1500, 3, 0),
    (said("rows of more than a thousand"), inputs.randn, 3, 2100, 1),
]


def _tuned_cases(seed: int) -> list[Case]:
    cases = []
    for i, (label, family, m, n, which) in enumerate(_TUNED):
        cases.append(autotuned.case(label, family(m, n, inputs.generator(seed + i)), which))
    g = inputs.generator(seed)
    cases.append(autotuned.case(said("gaps between the rows"), inputs.row_strided(inputs.randn(12, 7, g), 5), 1))
    # Drawn, so that no answer knows by the shape when it is to try something, and when there is nothing left to try.
    rng = random.Random(seed)
    block, m = rng.choice((8, 16, 32)), rng.randint(3, 9)
    n, longer = sorted(rng.sample(range(block // 2 + 1, block + 1), 2))  # in blocks of the same size
    several = inputs.randn(m, n, g), inputs.randn(m, longer, g), inputs.randn(m, n, g)
    cases += autotuned.tunings(*several)
    cases += autotuned.tunings(*(inputs.row_strided(x, block + 1 - x.shape[1]) for x in several))  # of one stride
    new, last = rng.sample(range(33, 60), 2)  # columns that no other case has
    return [
        *cases,
        autotuned.choices(inputs.randn(rng.randint(120, 140), new, g)),
        autotuned.traffic(inputs.randn(rng.randint(10, 14), last, g), 1),
    ]


def _worth_cases(seed: int) -> list[Case]:
    chance = random.Random(seed)
    return [
        tuning.worth_timing("float32", 1024, chance, count=3),
        tuning.worth_timing("bfloat16", 4096, chance, count=4),
        *(tuning.worth_timing(dtype, n, chance) for dtype, n in tuning.lengths()),
        *(
            tuning.worth_timing(dtype, n, chance, three, what=said(", of which one asks for too much ({i})", i=i))
            for i, (dtype, n, three) in enumerate(chance.sample(tuning.too_many_bytes(), 4), 1)
        ),
    ]


EXERCISES = [
    Exercise(
        id="15.1",
        title="worth_timing",
        names=("worth_timing",),
        points=1,
        cases=_worth_cases,
        driver=_LIST_DRIVER,
        open_book=said("it is judged by recorded runs, which lie beside the course; their order is drawn"),
        hints=(
            said(
                "Two numbers of a multiprocessor can be predicted: its resident warps, and the bytes "
                "that its resident programs load at once. Neither is enough alone."
            ),
            said(
                "Bytes help until there are enough of them, here about 64 KB. Among candidates that "
                "have enough, more resident warps are better. Candidates that spill come last."
            ),
            said(
                "`sorted(candidates, key=<(no spills, bytes but at most enough, warps)>, "
                "reverse=True)`, and of that the first third."
            ),
        ),
        mistakes=WORTH,
    ),
    Exercise(
        id="15.2",
        title="configuration",
        names=("configuration",),
        points=2,
        cases=lambda seed: [tuning.configuration(dtype, n) for dtype, n in tuning.lengths()],
        open_book=said("it is judged by recorded runs, which lie beside the course"),
        hints=(
            said(
                "Look at bytes and not at columns: how many bytes does a fast tile have, and how "
                "many bytes does each of its threads?"
            ),
            said(
                "Short rows share a tile of about 2 KB, with 8 rows at most. A long row has a tile "
                "of its own. A thread has about 64 bytes, and a program at most 32 warps."
            ),
            said(
                "`rows = max(1, min(8, <bytes of a tile> // <bytes of a row>))`, and the warps from "
                "the bytes of the tile, between 1 and 32. A row is as long as its block."
            ),
        ),
        mistakes=CONFIGURATION,
    ),
    Exercise(
        id="15.3",
        title="inplace_softmax",
        names=("inplace_softmax",),
        points=2,
        cases=_tuned_cases,
        driver=_DRIVER,
        hints=(
            said("Tuning runs the kernel many times, with your tensors. What does the second run find in x?"),
            said(
                "`triton.autotune` takes the configurations, the `key` (names of arguments: for a "
                "new value, it tunes again), and `restore_value` or `reset_to_zero` (names of "
                "pointers). A grid may be a function of a configuration."
            ),
            said(
                "`@triton.autotune(configs=[triton.Config({<name>: <value>}, num_warps=<n>), ...], "
                "key=[<...>], restore_value=[<...>])`, and `kernel[lambda meta: (triton.cdiv(n_rows, "
                "meta[<name>]),)](...)`."
            ),
        ),
        mistakes=TUNED,
    ),
]
