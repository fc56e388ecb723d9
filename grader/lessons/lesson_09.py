"""Lesson 09: several programs share a row. One launch stores the states of the splits, a second one merges them.

Sizes: x is M×N, a row has n_splits splits of split_size columns each, the states are M×n_splits.
"""

from __future__ import annotations

import pathlib
import random
from dataclasses import replace

import torch

from ..checks import in_parallel, inputs
from ..mistakes.splits import COMBINE_KERNEL, PARTIAL_KERNEL, PARTIAL_REMARKS, SPLIT_SOFTMAX
from ..reference import far_rows, softmax_function, splits
from ..sentence import said
from ..spec import Call, Case, Evidence, Exercise, Out

_DRIVER = (pathlib.Path(__file__).parent / "drivers" / "first_result.py").read_text(encoding="utf-8")

_MATRICES = [  # label, family, M, N, n_splits, columns of a block
    (said("two splits"), inputs.randn, 1, 5, 2, 4),
    (said("one split"), inputs.randn, 2, 3, 1, 4),
    (said("one column"), inputs.randn, 7, 1, 2, 4),
    (said("empty splits"), inputs.randn, 2, 5, 8, 4),
    (said("a short last split"), inputs.randn, 2, 10, 3, 4),
    (said("splits that no block divides"), inputs.randn, 2, 14, 2, 4),
    (said("ascending"), inputs.ascending, 3, 13, 2, 4),
    (said("descending"), inputs.descending, 3, 13, 2, 4),
    (said("constant rows"), inputs.constant, 3, 14, 2, 4),
    (said("around -200"), inputs.far_below_zero, 2, 22, 3, 4),
    ("100 ± 30", inputs.large, 2, 23, 3, 4),
    (said("first half +200, the rest -200"), inputs.cliff, 2, 26, 3, 4),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 2, 27, 2, 4),
    (said("a first split of -inf"), inputs.leading_minus_inf, 2, 28, 2, 4),
    (said("a first block of -inf"), inputs.leading_minus_inf, 2, 29, 1, 4),
    (said("two first splits of -inf"), inputs.leading_minus_inf, 2, 32, 4, 4),
    (said("one -inf in each row"), inputs.one_minus_inf, 3, 22, 5, 4),
    (said("one outlier in each row"), inputs.outlier, 3, 23, 5, 4),
    (said("an outlier among the last values of each row"), inputs.last_outliers, 4, 24, 3, 4),
    (said("values of -2.2e38"), inputs.lowest, 2, 35, 3, 8),
    (said("a row in many splits"), inputs.randn, 1, 100, 21, 4),
    (said("more splits than 64"), inputs.randn, 1, 150, 70, 8),
    (said("rows of 257"), inputs.randn, 3, 257, 5, 16),
    (said("a long row"), inputs.randn, 1, 3000, 15, 64),
    (said("values near the lowest float32"), inputs.at_the_end, 2, 35, 3, 8),
]


def _kernel_cases(seed: int, make, strides: dict[str, tuple[int, int]]) -> list[Case]:
    """The cases of a kernel with one program per split: make(label, x, n_splits, block, order, y_gap) builds a case.

    order: of the programs; y_gap: elements between the rows of the output. strides: for the name of
    a row stride, the places of its tensor and of itself among the arguments.
    """
    cases = []
    for i, (label, family, m, n, n_splits, block) in enumerate(_MATRICES):
        order = ("reversed", "forward", "shuffled")[i % 3]
        cases.append(make(label, family(m, n, inputs.generator(seed + i)), n_splits, block, order, 0))
    g, any_length = inputs.generator(seed), softmax_function.any_length
    gaps = inputs.row_strided(inputs.randn(3, 11, g))
    return [
        *cases,
        make(said("wide gaps between the input's rows"), gaps, 2, 4, "forward", 1),
        make(said("more rows than splits"), inputs.randn(6, any_length(seed), g), 2, 16, "shuffled", 2),
        make(said("a row of only -inf"), _without_softmax(seed), 2, 4, "shuffled", 0),
        far_rows.case(
            lambda label: make(label, inputs.randn(5, 9, g), 2, 4, "forward", 0),
            strides,
        ),
    ]


def _label(label: str, x: torch.Tensor, n_splits: int, block: int) -> str:
    (m, n), size = x.shape, splits.split_size(x.shape[1], n_splits)
    return (
        said(
            "{label}, {m}×{n} in {n_splits} splits of {size}, blocks of {block}",
            label=label,
            m=m,
            n=n,
            n_splits=n_splits,
            size=size,
            block=block,
        )
        if n_splits > 1
        else said(
            "{label}, {m}×{n} in {n_splits} split of {size}, blocks of {block}",
            label=label,
            m=m,
            n=n,
            n_splits=n_splits,
            size=size,
            block=block,
        )
    )


def _without_softmax(seed: int) -> torch.Tensor:
    """Three rows of twelve; the second one is all -inf."""
    x = inputs.randn(3, 12, inputs.generator(seed))
    x[1] = -torch.inf
    return x


def _partial_cases(seed: int) -> list[Case]:
    return _kernel_cases(seed, _partial_case, {"x_stride": (2, 3)})


def _partial_case(label: str, x: torch.Tensor, n_splits: int, block: int, order: str, y_gap: int) -> Case:
    (m, n), size = x.shape, splits.split_size(x.shape[1], n_splits)
    want = splits.states(x, n_splits, size)
    states = Out((m, n_splits)), Out((m, n_splits))
    return Case(
        _label(label, x, n_splits, block),
        Call(
            "launch",
            "partial_kernel",
            (*states, x, x.stride(0), n, n_splits, size),
            {"BLOCK": block},
            grid=(m, n_splits),
            order=order,
            trace=True,
        ),
        verify=lambda e: splits.wrong_state(e.args[:2], want) or splits.read_again(x, e),
        size=m * n,
        budget=(m * n, 2 * m * n_splits),
        tile=block,
        largest=2 * block,
        loads=softmax_function.OF_A_WALK,
        unit=m * n,
        facts=splits.case_facts(x, n_splits, block) | {"y_stride": n_splits, "states": want},
        interpreted_only=softmax_function.lowest(x),
    )


def _combine_cases(seed: int) -> list[Case]:
    return _kernel_cases(seed, _combine_case, {"y_stride": (0, 4), "x_stride": (1, 5)})


def _combine_case(label: str, x: torch.Tensor, n_splits: int, block: int, order: str, y_gap: int) -> Case:
    (m, n), size = x.shape, splits.split_size(x.shape[1], n_splits)
    states = (t.float() for t in splits.states(x, n_splits, size))
    y = Out((m, n), strides=(n + y_gap, 1))
    return Case(
        _label(label, x, n_splits, block),
        Call(
            "launch",
            "combine_kernel",
            (y, x, *states, n + y_gap, x.stride(0), n, n_splits, size),
            {"SPLITS": softmax_function.block(n_splits), "BLOCK": block},
            grid=(m, n_splits),
            order=order,
            trace=True,
        ),
        verify=lambda e: (
            softmax_function.stored(x, e.args[0]) or in_parallel.stored_by_several(e) or splits.read_again(x, e)
        ),
        size=m * n,
        # Every program reads the states of its row: m and d, and m a second time if it takes the maximum first.
        budget=(m * n + 3 * m * n_splits * n_splits, m * n),
        may_read_less=True,
        tile=(tile := max(block, softmax_function.block(n_splits))),
        largest=2 * tile,
        unit=m * n,
        may_idle=(n_splits - 1) * size >= n,  # a program with an empty split stores nothing
        facts=splits.case_facts(x, n_splits, block) | {"y_stride": n + y_gap},
        interpreted_only=softmax_function.lowest(x),
    )


_SHAPES = [  # label, family, M, N, n_splits, order of the programs
    (said("two splits"), inputs.randn, 1, 6, 2, "reversed"),
    (said("one split"), inputs.randn, 2, 4, 1, "forward"),
    (said("one column"), inputs.randn, 8, 1, 2, "shuffled"),
    (said("more splits than columns"), inputs.randn, 2, 5, 7, "reversed"),
    (said("splits of different lengths"), inputs.randn, 3, 10, 4, "shuffled"),
    (said("first half +200, the rest -200"), inputs.cliff, 3, 11, 2, "forward"),
    (said("first half -200, the rest +200"), inputs.rising_cliff, 3, 12, 3, "reversed"),
    (said("around -200"), inputs.far_below_zero, 3, 13, 4, "forward"),
    (said("a first half of -inf"), inputs.leading_minus_inf, 3, 14, 4, "shuffled"),
    (said("constant rows"), inputs.constant, 3, 15, 4, "forward"),
    (said("values of -2.2e38"), inputs.lowest, 3, 16, 3, "reversed"),
    (said("values near the lowest float32"), inputs.at_the_end, 3, 17, 3, "shuffled"),
    (said("many rows"), inputs.randn, 130, 3, 2, "shuffled"),
    (said("one row in many splits"), inputs.randn, 1, 400, 130, "reversed"),
    (said("one row in more than a thousand splits"), inputs.randn, 1, 1100, 1100, "forward"),
    (said("rows of 5000"), inputs.randn, 2, 5000, 3, "shuffled"),
    (said("two rows of 16384"), inputs.randn, 2, 16384, 2, "forward"),
]


def _wrapper_cases(seed: int) -> list[Case]:
    g = inputs.generator(seed)
    gaps, apart = inputs.row_strided(inputs.randn(3, 6, g)), inputs.column_strided(inputs.randn(4, 6, g))
    return [
        *(_wrapper_case(label, family(m, n, g), s, order) for label, family, m, n, s, order in _SHAPES),
        *_long_rows(random.Random(seed), g),
        _wrapper_case(said("rows with gaps between them"), gaps, 2, "forward"),
        _wrapper_case(said("a transposed view"), apart, 2, "forward"),
        _wrapper_case(said("every other column"), inputs.every_other_column(inputs.randn(4, 6, g)), 2, "forward"),
        _wrapper_case(said("one column, expanded"), inputs.expanded(inputs.randn(4, 6, g)), 2, "forward"),
        _first_result(inputs.randn(6, 7, g), 2),
        softmax_function.empty(
            said("a matrix without rows"), "split_softmax", 0, random.Random(seed).randint(2, 99), 2
        ),
        _wrapper_case(said("one row of a wider matrix"), inputs.row_strided(inputs.randn(1, 6, g)), 2, "forward"),
        _wrapper_case(
            said("rows 6 apart, columns 24 apart"), inputs.apart_both_ways(inputs.large(4, 6, g)), 2, "forward"
        ),
        # Last, because an answer that launches for each row has no time for it. One that counts with atomics, whose
        # programs run one by one, takes some seconds.
        replace(_wrapper_case(said("more than a thousand rows"), inputs.randn(1100, 2, g), 1, "forward"), size=10**7),
        # Facts would have the detectors replay their walks over two million columns.
        replace(
            _wrapper_case(said("splits longer than any block"), inputs.randn(1, 2**21 + 2, g), 2, "forward"), facts={}
        ),
        _wrapper_case(said("a row of only -inf"), _without_softmax(seed), 2, "forward"),
        *softmax_function.any_lengths(seed, lambda label, x: _wrapper_case(label, x, 3, "forward")),
        far_rows.of_function(_wrapper_case(far_rows.LABEL, inputs.randn(3, 6, g), 2, "forward"), 0, may_refuse=True),
        *softmax_function.refusals("split_softmax", g, 2),
        *(_too_few(inputs.randn(2, 5, g), n_splits) for n_splits in (0, -1)),
    ]


def _long_rows(rng: random.Random, g: torch.Generator) -> list[Case]:
    """Long rows in an order that nobody knows: in some of these calls, a program loads zeros."""
    cases = []
    for which in rng.sample(["all", "all", "not the first", "not another"], 4):
        n_splits = rng.randint(5, 8)
        x = inputs.randn(1, 8192 * n_splits + rng.randint(0, 99), g)
        if which == "all":
            cases.append(_wrapper_case(said("a long row"), x, n_splits, "shuffled"))
        else:  # one program that does all of it is not both of these
            program = 0 if which == "not the first" else rng.randrange(1, n_splits)
            cases.append(splits.blind(x, n_splits, program))
    return cases


def _wrapper_case(label: str, x: torch.Tensor, n_splits: int, order: str) -> Case:
    (m, n), states = x.shape, x.shape[0] * n_splits
    plain = x.is_contiguous()  # other views may be copied or refused

    def verify(e: Evidence) -> str | None:
        if plain or not e.error:
            return splits.returned(x, n_splits, e)
        return softmax_function.refused(x, e, said("this input"))

    return Case(
        (
            said("{label}, {m}×{n} in {n_splits} splits", label=label, m=m, n=n, n_splits=n_splits)
            if n_splits > 1
            else said("{label}, {m}×{n} in {n_splits} split", label=label, m=m, n=n, n_splits=n_splits)
        ),
        # Who read what shows in small cases, and costs time for each program.
        Call("call", "split_softmax", (x, n_splits), order=order, trace=n <= 5000 and m * n_splits < 1000),
        verify=verify,
        # Empty splits allow many faults, so such a case does not count as a small one.
        size=m * n if n_splits <= n else 1000,
        dear=states > 1000 or n > 1 << 20,
        # The states are small next to x: an answer may fill them in first, and merge them with PyTorch.
        budget=(2 * m * n + 3 * states * n_splits + 8 * states, m * n + 8 * states) if plain else None,
        may_read_less=True,
        may_write_less=True,
        unit=m * n,
        expects_error=not plain,
        interpreted_only=softmax_function.lowest(x),
        facts=splits.case_facts(x, n_splits, softmax_function.block(n)) | {"y_stride": n},
    )


def _first_result(both: torch.Tensor, n_splits: int) -> Case:
    """Two calls, with the upper and with the lower half of `both`; the first result must stay."""
    case = softmax_function.first_result("split_softmax", *both.split(len(both) // 2), n_splits)
    x = case.facts["x"]
    facts = case.facts | splits.case_facts(x, n_splits, case.facts["block"]) | {"y_stride": x.shape[1]}
    return replace(case, facts=facts)


def _too_few(x: torch.Tensor, n_splits: int) -> Case:
    what = said("a row in {n_splits} splits", n_splits=n_splits)
    return Case(
        said("a number of splits it cannot take: {n_splits}", n_splits=n_splits),
        Call("call", "split_softmax", (x, n_splits)),
        verify=lambda e: softmax_function.refused(None, e, what),
        size=10_000,
        facts={"refuses": True},
        expects_error=True,
    )


EXERCISES = [
    Exercise(
        id="9.1",
        title="partial_kernel",
        names=("partial_kernel",),
        points=2,
        cases=_partial_cases,
        kernels=True,
        hints=(
            said("The first walk of lesson 08, over a part of the row. Two numbers are stored, and nothing else."),
            said("A lane counts if it is inside the split and inside the row. Join the two conditions with &."),
            said(
                "`cols = <where the split begins> + start + lanes`, and after the loop "
                "`tl.store(m_ptr + <row> * <splits per row> + <split>, m)`, the same for d."
            ),
        ),
        mistakes=PARTIAL_KERNEL,
        remarks=PARTIAL_REMARKS,
    ),
    Exercise(
        id="9.2",
        title="combine_kernel",
        names=("combine_kernel",),
        points=2,
        cases=_combine_cases,
        kernels=True,
        hints=(
            said("The merge of lesson 08, for all states of a row at once: one maximum, then one sum."),
            said("Each sum has its own factor. What should the lanes after the last state hold, in m and in d?"),
            said(
                "`m = tl.max(<all maxima>, axis=0)`, then `d = tl.sum(<all sums> * <a factor for "
                "each>, axis=0)`; the walk is that of 9.1, with a store in place of the state."
            ),
        ),
        mistakes=COMBINE_KERNEL,
    ),
    Exercise(
        id="9.3",
        title="split_softmax",
        names=("split_softmax",),
        points=3,
        cases=_wrapper_cases,
        driver=_DRIVER,
        kernels=True,
        hints=(
            said("Look at the arguments, make y and the states, launch twice over the same grid."),
            said(
                "How long is a split when n_splits does not divide the row? If you round down, no "
                "split has the end of the row."
            ),
            said(
                "`partial_kernel[(<rows>, <splits>)](...)`, then `combine_kernel[(<rows>, "
                "<splits>)](...)`, with SPLITS a power of two, at least the number of splits."
            ),
        ),
        mistakes=SPLIT_SOFTMAX,
    ),
]
