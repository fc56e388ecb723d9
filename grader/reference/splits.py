"""Rows that several programs share: the states of their splits, and the verification of answers that split rows.

A row of x (M×N) is cut into n_splits splits of ⌈N / n_splits⌉ columns each. The last ones may be short or empty. The
state (m, d) of a split holds the maximum of its values, and the sum of exp(value - m) (online softmax: Milakov and
Gimelshein 2018, arXiv 1805.02867).

The facts of a case are those of `case_facts`. The exercises add `y_stride` (elements), and 9.1 adds `states`.
"""

from __future__ import annotations

from collections import Counter

import torch

from ..checks import compare, in_parallel
from ..sentence import fault, said
from ..spec import Call, Case, Evidence
from . import softmax_function

_MANY_STATES = 16  # a row has many states if fewer columns belong to each of them
_PART = 4  # a fourth of x and more is a part of it


def split_size(n_cols: int, n_splits: int) -> int:
    """Columns of one split."""
    return -(-n_cols // n_splits)


def case_facts(x: torch.Tensor, n_splits: int, block: int) -> dict:
    """Facts of a case about x (M×N): x_stride is in elements, split_size and block (of one tile) are in columns."""
    return {
        "x": x, "out": 0, "block": block, "x_stride": x.stride(0), "n_splits": n_splits,
        "split_size": split_size(x.shape[1], n_splits),
    }  # fmt: skip


# ---- states


def states(x: torch.Tensor, n_splits: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """(m, d) of each split of x (M×N), float64 of shape M×n_splits; size: columns of a split.

    The state of a split without a number above -inf is (-inf, 0).
    """
    wide = torch.nn.functional.pad(x.double(), (0, n_splits * size - x.shape[1]), value=-torch.inf)
    parts = wide.reshape(len(x), n_splits, size)
    m = parts.amax(2)
    return m, torch.exp(parts - m.clamp(min=-1e300)[..., None]).sum(2)


def wrong_state(got: list[torch.Tensor], want: tuple[torch.Tensor, torch.Tensor]) -> str | None:
    """None where got holds the wanted states (m, d; M×n_splits each), else a sentence about the first that differs."""
    good = [g.double() == w for g, w in zip(got, want)]
    good[1] |= (got[1].double() - want[1]).abs() <= 1e-4 * want[1]
    bad = ~(good[0] & good[1])
    if not bad.any():
        return None
    row, split = (int(i) for i in bad.nonzero()[0])
    name, g, w = next((n, g, w) for n, g, w, fine in zip("md", got, want, good) if not fine[row, split])
    return said(
        "{name} of row {row}, split {split} {is_now}, expected {item}",
        name=name,
        row=row,
        split=split,
        is_now=compare.is_now(g[row, split], 6),
        item=f"{w[row, split].item():.6g}",
    )


# ---- verification


def returned(x: torch.Tensor, n_splits: int, evidence: Evidence) -> str | None:
    """None where 9.3 returned the softmax of x (M×N) and n_splits programs shared each row; else a sentence."""
    sentence = (
        softmax_function.stored(x, evidence.value)
        or in_parallel.stored_by_several(evidence)
        or in_parallel.counted_too_early(evidence)
    )
    if sentence:
        return sentence
    if not evidence.launches:
        return said("no kernel was launched")
    programs = programs_over_the_row(x, evidence)
    if not programs_accepted(programs, x, n_splits):
        values = {"count": len(x), "n_splits": n_splits}
        if len(x) > 1:
            asked = said("{count} rows in {n_splits} splits", **values)
            asked = asked if n_splits > 1 else said("{count} rows in {n_splits} split", **values)
        else:
            asked = said("{count} row in {n_splits} splits", **values)
            asked = asked if n_splits > 1 else said("{count} row in {n_splits} split", **values)
        working = (
            said("1 program with a share of it")
            if programs == 1
            else said("{programs} programs with a share of it", programs=programs)
        )
        return fault(
            "way",
            "right numbers, but a launch over the whole of x has {working}, for {asked}",
            working=working,
            asked=asked,
        )
    if lanes := loaded_by_a_few(x, n_splits, evidence):
        return fault(
            "way",
            "right numbers, but launches whose programs do not share the rows load {lanes} numbers, and x has {numel}",
            lanes=lanes,
            numel=x.numel(),
        )
    return None


def blind(x: torch.Tensor, n_splits: int, program: int) -> Case:
    """split_softmax(x, n_splits) of one row; in launches of n_splits programs, this one finds zeros wherever it loads.

    The host is not told. The sum of the row is wrong then, or the program's part of it. An answer whose result stays
    right loads there for show.
    """

    def verify(evidence: Evidence) -> str | None:
        got = evidence.value
        if evidence.error or compare.kind(got, x):
            return None
        want = torch.softmax(x.double(), 1)
        right = int(((got.double() - want).abs() <= 1e-3 * want).sum())
        if 2 * right < x.numel():
            return None
        return fault(
            "way",
            "right numbers, but {right} of {numel} are right as well when program {program} of {n_splits} loads zeros",
            right=right,
            numel=x.numel(),
            program=program,
            n_splits=n_splits,
        )

    return Case(
        said("a long row, of which a program loads zeros, 1×{n} in {n_splits} splits", n=x.shape[1], n_splits=n_splits),
        Call("call", "split_softmax", (x, n_splits), blind=(n_splits, program)),
        verify,
        size=x.numel(),
        expects_error=True,
        interpreted_only=True,
        facts={"blind": program},
    )


def loaded_by_a_few(x: torch.Tensor, n_splits: int, evidence: Evidence) -> int | None:
    """The numbers that launches with too few programs at work load, where they are a part of x; else None.

    Launches that merge states are such ones. So nothing is said where the states are many.
    """
    lanes = sum(each["lanes"] for each in evidence.launches if not programs_accepted(each["working"], x, n_splits))
    return lanes if _MANY_STATES * len(x) * n_splits <= x.numel() < _PART * lanes else None


def programs_accepted(programs: int, x: torch.Tensor, n_splits: int) -> bool:
    """Whether this number of programs is accepted for n_splits splits of each row of x.

    Splits may be rounded up to whole blocks, which leaves fewer programs: in a row that is alone, those of some power
    of two. Splits of 8192 columns and more give no reason to round.
    """
    m, n = x.shape
    if programs >= m * n_splits or n // n_splits >= 8192:
        return programs == m * n_splits
    size = split_size(n, n_splits)
    rounded = {-(-n // (-(-size // 2**i) * 2**i)) for i in range(14)}
    return m > 1 or programs in rounded


def programs_over_the_row(x: torch.Tensor, evidence: Evidence) -> int:
    """The number of programs that work, in the launch with the fewest, of the kernels that read all of x."""
    reads = Counter()
    for name, read, _ in evidence.rows:
        reads[name] += read
    launches = [launch for launch in evidence.launches if reads[launch["kernel"]] >= x.numel()]
    return min((launch["working"] for launch in launches), default=0)


def read_again(x: torch.Tensor, evidence: Evidence) -> str | None:
    """None where the loads from x_ptr cover no more elements than x has, else a sentence. Needs a trace."""
    loads = [panel for panel in evidence.panels if panel.tensor == "x_ptr" and panel.op == "load"]
    elements = sum(count for panel in loads for *_, count in panel.touched)
    return (
        fault(
            "way",
            "right numbers, but {elements} elements of x are read, and it has {numel}",
            elements=elements,
            numel=x.numel(),
        )
        if elements > x.numel()
        else None
    )
