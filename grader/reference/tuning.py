"""A recorded sweep of tile kernels on an H200, and the cases that predict from it or choose by it (15.1, 15.2).

sweep.json holds the rows of records/tuning_on_h200.json about tiles, which the lesson shows; unseen.json those of
records/unseen_lengths_on_h200.json, for other lengths. A candidate is a configuration as compiled: rows
of a tile, num_warps, n_regs and n_spills of a thread, resident (programs that a multiprocessor holds at once, by the
rule of 10.3), bytes (that a program loads).
"""

from __future__ import annotations

import functools
import itertools
import json
import pathlib
import random

from ..checks import compare
from ..sentence import said
from ..spec import Call, Case, Evidence

_HERE = pathlib.Path(__file__).parent
BYTES = {"float32": 4, "bfloat16": 2}
KEPT = 3  # a candidate of so many may be kept
# Of the speed of the best one: what the best of the kept ones must have, and what a chosen one must have. A rule that
# was found on the lengths of the lesson may be a little off on those that it does not show.
CLOSE, CHOSEN = {True: 0.95, False: 0.9}, {True: 0.9, False: 0.8}
UNDER_WAY = 24 * 1024  # bytes of a multiprocessor; with fewer, no recorded configuration came near the best
_CANDIDATE = ("rows", "num_warps", "n_regs", "n_spills", "resident")


Timed = dict[tuple[str, int], dict[tuple[int, int], dict]]  # {(dtype, columns): {(rows of a tile, warps): a row}}


def sweep() -> Timed:
    """What was recorded for the lengths of the lesson."""
    return _read("sweep.json")


def unseen() -> Timed:
    """What was recorded for lengths that the lesson does not show."""
    return _read("unseen.json")


@functools.cache
def _read(file: str) -> Timed:
    names, *rows = json.loads((_HERE / file).read_text(encoding="utf-8"))
    found: Timed = {}
    for row in (dict(zip(names, values)) for values in rows):
        found.setdefault((row["dtype"], row["n"]), {})[row["rows"], row["num_warps"]] = row
    return found


def lengths() -> list[tuple[str, int]]:
    """(dtype, columns) of all that was recorded, those that the lesson shows first."""
    return [*sweep(), *unseen()]


def _timed(dtype: str, n: int) -> dict[tuple[int, int], dict]:
    return (sweep() if (dtype, n) in sweep() else unseen())[dtype, n]


def _size(dtype: str, n: int) -> int:
    """Case.size: a length that the lesson shows is reported first."""
    return n if (dtype, n) in sweep() else n << 20


def candidates(dtype: str, n: int) -> list[dict]:
    """The configurations that were timed for rows of n columns, without their times."""
    return [_candidate(row) for row in _timed(dtype, n).values()]


def _candidate(row: dict) -> dict:
    return {k: row[k] for k in _CANDIDATE} | {"bytes": row["rows"] * row["n"] * BYTES[row["dtype"]]}


def speed(dtype: str, n: int, configuration: tuple[int, int]) -> float | None:
    """The least recorded time over that of (rows, warps): 1 is the best; None for one that was not timed."""
    timed = _timed(dtype, n)
    if configuration not in timed:
        return None
    return min(row["microseconds"] for row in timed.values()) / timed[configuration]["microseconds"]


def kept(value, asked: list[dict]) -> list[dict] | None:
    """The candidates in the value of an answer; None if there is anything else in it."""
    if not isinstance(value, (list, tuple)) or any(each not in asked for each in value):
        return None
    return [each for each in asked if each in value]


_ENOUGH = (0, 32, 48, 64, 96)  # KB under way on a multiprocessor, from which on more gain nothing; nobody knows it
_SLOW = 0.85  # of the speed of the best one
_LONG = (4096, 6144, 8192)  # columns of the rows for which such candidates were recorded


@functools.cache
def too_many_bytes() -> list[tuple[str, int, tuple[dict, ...]]]:
    """(dtype, columns, three candidates): the one with the most bytes under way is slow, as it has few warps.

    Whoever takes the bytes up to a limit, and warps after that, finds a fast one, wherever the limit may be.
    """
    found = []
    for dtype, n in [each for each in lengths() if each[1] in _LONG]:
        some = []
        for c in (c for c in candidates(dtype, n) if not c["n_spills"]):
            reached = speed(dtype, n, (c["rows"], c["num_warps"]))
            some.append((c["resident"] * c["bytes"], c["resident"] * c["num_warps"], reached, c))
        some.sort(key=lambda each: each[:2])
        for top, most in enumerate(some):
            for two in itertools.combinations(some[:top], KEPT - 1):
                three = (*two, most)
                slow = most[:2] > two[-1][:2] and most[2] <= _SLOW * max(each[2] for each in two)
                if slow and _found_by_rules(three):
                    found.append((dtype, n, tuple(each[3] for each in three)))
    return found


def _found_by_rules(three) -> bool:
    """Whether rules with any limit find a fast one. three: (bytes under way, resident warps, speed, candidate) each."""
    close = CLOSE[True] * max(each[2] for each in three)
    rules = [rule(kilobytes << 10) for kilobytes in _ENOUGH for rule in (_bytes_up_to, _enough_bytes)]
    return all(min(_taken(three, rule)) >= close for rule in rules)


def _bytes_up_to(limit: int):
    return lambda each: (min(each[0], limit), each[1])


def _enough_bytes(limit: int):
    return lambda each: (each[0] >= limit, each[1])


def _taken(three, rule) -> list[float]:
    """The speeds of the candidates that a rule puts first; of equal ones, the order of the list decides."""
    first = max(map(rule, three))
    return [each[2] for each in three if rule(each) == first]


def worth_timing(
    dtype: str, n: int, chance: random.Random, some: tuple[dict, ...] = (), count: int = 0, what: str = ""
) -> Case:
    """worth_timing(candidates) for rows of n columns: at most a third of them, among these one of the fastest.

    chance: of the order of the candidates. some: these alone are given. count: only so many candidates are given, and
    any of them may be kept. what: words for the label.
    """
    asked = list(some) or candidates(dtype, n)
    chance.shuffle(asked)
    asked = asked[: count or None]
    most = len(asked) // KEPT
    reached = {(c["rows"], c["num_warps"]): speed(dtype, n, (c["rows"], c["num_warps"])) or 0.0 for c in asked}
    close = _SLOW + 0.01 if some else CLOSE[(dtype, n) in sweep()]

    def verify(evidence: Evidence) -> str | None:
        value, after = evidence.value if isinstance(evidence.value, list) else (None, asked)
        some = kept(value, asked)
        if some is None:
            return said("{shown} came back, expected a list of candidates", shown=compare.shown(value))
        if not 0 < len(some) <= most:
            expected = "1" if most == 1 else said("1 to {most}", most=most)
            return said(
                "it keeps {count} of {count2} candidates, expected {expected}",
                count=len(some),
                count2=len(asked),
                expected=expected,
            )
        best = max(reached[each["rows"], each["num_warps"]] for each in some) / max(reached.values())
        if not count and best < close:
            return said("the fastest that it keeps has {best} of the speed of the fastest of all", best=f"{best:.2f}")
        return None if after == asked else said("after the call the caller's list of candidates is another one")

    return Case(
        said("{n} columns of {dtype}, {count} candidates{what}", n=n, dtype=dtype, count=len(asked), what=what),
        Call("call", "check_result_and_list", ("worth_timing", asked)),
        verify,
        size=_size(dtype, n) if not some else n << 40,
        facts={"asked": asked, "most": most, "dtype": dtype, "n": n},
    )


def _chosen(dtype: str, n: int) -> float:
    return CHOSEN[(dtype, n) in sweep()]


def fast(dtype: str, n: int) -> set[tuple[int, int]]:
    """The configurations (rows, warps) that are fast enough to be chosen."""
    return {pair for pair in _timed(dtype, n) if (speed(dtype, n, pair) or 0.0) >= _chosen(dtype, n)}


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
        if reached < _chosen(dtype, n):
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
        size=_size(dtype, n),
        facts={"dtype": dtype, "n": n, "timed": set(_timed(dtype, n)), "fast": fast(dtype, n)},
    )
