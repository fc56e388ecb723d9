"""A recorded sweep of tile kernels on an H200, and the cases that predict from it or choose by it (15.1, 15.2).

sweep.json holds the rows of records/tuning_on_h200.json about tiles. A candidate is a configuration as compiled: rows
of a tile, num_warps, n_regs and n_spills of a thread, resident (programs that a multiprocessor holds at once, by the
rule of 10.3), bytes (that a program loads).
"""

from __future__ import annotations

import functools
import json
import pathlib

from ..checks import compare
from ..sentence import said
from ..spec import Call, Case, Evidence

_SWEEP = pathlib.Path(__file__).with_name("sweep.json")
BYTES = {"float32": 4, "bfloat16": 2}
KEPT = 3  # a candidate of so many may be kept
CLOSE = 0.95  # of the speed of the best one, that the best of the kept ones must have
CHOSEN = 0.9  # of the speed of the best one, that a chosen one must have
UNDER_WAY = 24 * 1024  # bytes of a multiprocessor; with fewer, no recorded configuration came near the best
_CANDIDATE = ("rows", "num_warps", "n_regs", "n_spills", "resident")


@functools.cache
def sweep() -> dict[tuple[str, int], dict[tuple[int, int], dict]]:
    """{(dtype, columns): {(rows of a tile, warps): the recorded row}}."""
    names, *rows = json.loads(_SWEEP.read_text(encoding="utf-8"))
    found: dict[tuple[str, int], dict] = {}
    for row in (dict(zip(names, values)) for values in rows):
        found.setdefault((row["dtype"], row["n"]), {})[row["rows"], row["num_warps"]] = row
    return found


def candidates(dtype: str, n: int) -> list[dict]:
    """The configurations that were timed for rows of n columns, without their times."""
    size = n * BYTES[dtype]
    return [{k: row[k] for k in _CANDIDATE} | {"bytes": row["rows"] * size} for row in sweep()[dtype, n].values()]


def speed(dtype: str, n: int, configuration: tuple[int, int]) -> float | None:
    """The least recorded time over that of (rows, warps): 1 is the best; None for one that was not timed."""
    timed = sweep()[dtype, n]
    if configuration not in timed:
        return None
    return min(row["microseconds"] for row in timed.values()) / timed[configuration]["microseconds"]


def kept(value, asked: list[dict]) -> list[dict] | None:
    """The candidates in the value of an answer; None if there is anything else in it."""
    if not isinstance(value, (list, tuple)) or any(each not in asked for each in value):
        return None
    return [each for each in asked if each in value]


def worth_timing(dtype: str, n: int, count: int | None = None) -> Case:
    """worth_timing(candidates) for rows of n columns: at most a third of them, among these one of the fastest.

    count: only so many candidates are given, and any of them may be kept.
    """
    asked = candidates(dtype, n)[:count]
    most = len(asked) // KEPT

    def verify(evidence: Evidence) -> str | None:
        some = kept(evidence.value, asked)
        if some is None:
            return said("{shown} came back, expected a list of candidates", shown=compare.shown(evidence.value))
        if not 0 < len(some) <= most:
            expected = "1" if most == 1 else said("1 to {most}", most=most)
            return said(
                "it keeps {count} of {count2} candidates, expected {expected}",
                count=len(some),
                count2=len(asked),
                expected=expected,
            )
        best = max(speed(dtype, n, (each["rows"], each["num_warps"])) for each in some)
        if count is None and best < CLOSE:
            return said("the fastest that it keeps has {best} of the speed of the fastest of all", best=f"{best:.2f}")
        return None

    return Case(
        said("{n} columns of {dtype}, {count} candidates", n=n, dtype=dtype, count=len(asked)),
        Call("call", "worth_timing", (asked,)),
        verify,
        size=n,
        facts={"asked": asked, "most": most, "dtype": dtype, "n": n},
    )


def fast(dtype: str, n: int) -> set[tuple[int, int]]:
    """The configurations (rows, warps) that are fast enough to be chosen."""
    return {pair for pair in sweep()[dtype, n] if speed(dtype, n, pair) >= CHOSEN}


def pair_of(value) -> tuple[int, int] | None:
    """(rows, warps) in the value of an answer; None if it is no pair of integers."""
    pair = isinstance(value, (list, tuple)) and len(value) == 2
    return tuple(value) if pair and all(type(number) is int for number in value) else None


def configuration(dtype: str, n: int) -> Case:
    """configuration(n, bytes of an element): a pair (rows, warps) that is nearly as fast as the best recorded one."""

    def verify(evidence: Evidence) -> str | None:
        pair = pair_of(evidence.value)
        if pair is None:
            return said("{shown} came back, expected two integers", shown=compare.shown(evidence.value))
        reached = speed(dtype, n, pair)
        if reached is None:
            return said("(rows, warps) = {pair} was not timed for rows of {n}", pair=pair, n=n)
        if reached < CHOSEN:
            return said(
                "(rows, warps) = {pair} reaches {reached} of the speed of the fastest configuration",
                pair=pair,
                reached=f"{reached:.2f}",
            )
        return None

    return Case(
        said("{n} columns of {dtype}", n=n, dtype=dtype),
        Call("call", "configuration", (n, BYTES[dtype])),
        verify,
        size=n,
        facts={"dtype": dtype, "n": n, "timed": set(sweep()[dtype, n]), "fast": fast(dtype, n)},
    )
