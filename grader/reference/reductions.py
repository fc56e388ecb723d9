"""Reductions in plain Python as parallel threads make them: a tree, a butterfly, and the states of a block's warps.

A tree adds the upper half of a list to its lower half until one number is left. In a butterfly, every step combines
each lane with the lane whose number differs in one bit. A state (m, d) is the maximum of some values and the sum of
exp(value - m) over them (Milakov and Gimelshein, 2018).
"""

from __future__ import annotations

import math

from ..checks import compare
from ..checks.compare import same_number
from ..sentence import counted, said
from . import combines

LANES = 32  # of a warp
_NOTHING = said("the function returned None")


def alike(a, b, rel: float = 1e-6) -> bool:
    """Whether two values hold the same numbers, to a relative error, in the same nesting of lists or tuples."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, rel) for x, y in zip(a, b))
    return same_number(a, b, rel)


def tree(values: list[float]) -> list[list[float]]:
    """The states of a tree that sums 2^k values: the values, then the list after each step."""
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states


def tree_fault(got, want: list[list[float]]) -> str | None:
    """None if got holds the states of the tree, else a sentence about the first state that differs."""
    if got is None:
        return _NOTHING
    if not isinstance(got, (list, tuple)):
        return said(
            "{shown} came back, expected a list of {count}", shown=compare.shown(got), count=counted(len(want), "list")
        )
    for step, (g, w) in enumerate(zip(got, want)):
        if not alike(g, w):
            when = said("after step {step}", step=step) if step else said("before the first step")
            if not isinstance(g, (list, tuple)):
                return said(
                    "the state {when} is {shown}, expected a list of {count}",
                    when=when,
                    shown=compare.shown(g),
                    count=counted(len(w), "number"),
                )
            if len(g) != len(w):
                return said(
                    "the state {when} has {count}, expected {count2}",
                    when=when,
                    count=counted(len(g), "number"),
                    count2=len(w),
                )
            i = next(i for i in range(len(w)) if not alike(g[i], w[i]))
            return said(
                "the state {when} has {shown} in place {i}, expected {w}",
                when=when,
                shown=compare.shown(g[i]),
                i=i,
                w=f"{w[i]:g}",
            )
    return (
        said("{count} came back, expected {count2}", count=counted(len(got), "state"), count2=len(want))
        if len(got) != len(want)
        else None
    )


def list_fault(got, values: list[float]) -> str | None:
    """None if got, the caller's list after a call, still holds the values, else a sentence."""
    return (
        None
        if alike(got, values)
        else said("after the call the list that you were given is {shown}", shown=compare.shown(got))
    )


def powers(count: int) -> list[int]:
    """The powers of two below count, which is one itself: the offsets of a butterfly over so many lanes."""
    return [1 << k for k in range(count.bit_length() - 1)]


def butterfly(lanes: list, combine, offsets) -> list:
    """The lanes after one step for each offset: every lane is combined with the lane number `lane ^ offset`."""
    for offset in offsets:
        lanes = [
            combine(value, lanes[lane ^ offset]) if lane ^ offset < len(lanes) else value
            for lane, value in enumerate(lanes)
        ]
    return lanes


def lanes_fault(got, count: int, want) -> str | None:
    """None if got is a list of `count` lanes that all hold `want`, else a sentence about the first that does not."""
    if got is None:
        return _NOTHING
    if not isinstance(got, (list, tuple)):
        return said("{shown} came back, expected a list of {count} lanes", shown=compare.shown(got), count=count)
    if len(got) != count:
        return said("{count} came back, expected {count2}", count=counted(len(got), "lane"), count2=count)
    wrong = [lane for lane, value in enumerate(got) if not alike(value, want)]
    if not wrong:
        return None
    first = said(
        "lane {wrong} ends with {shown}, expected {shown2}",
        wrong=wrong[0],
        shown=compare.shown(got[wrong[0]]),
        shown2=compare.shown(want),
    )
    return said("{first}; {count} of {count2} lanes are wrong", first=first, count=len(wrong), count2=count)


def merged(ms: list[float], ds: list[float]) -> tuple[float, float]:
    """The state of all lanes: their states (m, d), merged in order."""
    state = (-math.inf, 0.0)
    for lane in zip(ms, ds):
        state = combines.merge(state, lane)
    return state


def warp_states(ms: list[float], ds: list[float]) -> list[tuple[float, float]]:
    """The state of each warp of a block."""
    return [merged(ms[i : i + LANES], ds[i : i + LANES]) for i in range(0, len(ms), LANES)]
