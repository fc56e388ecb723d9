"""Shuffles between the barriers of a kernel's PTX: recorded texts, and the right counts (exercise 12.8).

PTX is the text that Triton hands to NVIDIA's assembler. How many barriers it has depends on Triton's version, so an
answer is judged on texts of several versions, which tools/record/ptx.py has recorded: it gets the same verdict
wherever it is judged. tests/test_barrier_intervals.py compares the compiler at hand.
"""

from __future__ import annotations

import functools
import json
import math
import pathlib
import random
import re
from typing import TypedDict

from ..checks import compare
from ..sentence import said

LANES = 32  # threads of a warp of NVIDIA's
_BARRIER, _SHUFFLE = re.compile(r"^\s*(?:@!?%p\d+\s+)?bar\.sync\b", re.M), re.compile(r"\bshfl\.sync\.")


class Text(TypedDict):
    """The PTX of one kernel, and what it was compiled for."""

    kernel: str
    gpu: str
    num_warps: int
    triton: str
    ptx: str


@functools.cache
def recorded() -> list[Text]:
    """The recorded texts, oldest Triton first."""
    return json.loads(pathlib.Path(__file__).with_name("ptx.json").read_text(encoding="utf-8"))["texts"]


def shuffles(ptx: str) -> list[int]:
    """The number of shuffles in front of the first barrier, between two barriers, and behind the last one."""
    return [len(_SHUFFLE.findall(part)) for part in _BARRIER.split(ptx)]


def written(intervals: list[int], kernel: str = "softmax_kernel") -> str:
    """A text with these numbers of shuffles, its other lines as compilers write them; among them a vote of a warp.

    kernel: its name.
    """
    shuffle = "\tshfl.sync.bfly.b32 \t%r{}, %r{}, 16, 31, -1;\n\tmax.f32 \t%r{}, %r{}, %r{};\n"
    parts, number = [], 1
    for count in intervals:
        lines = []
        for _ in range(count):
            lines.append(shuffle.format(number + 1, number, number + 2, number, number + 1))
            number += 2
        parts.append("".join(lines))
    between = "\tst.shared.b32 \t[%r3], %r1;\n\tbar.sync \t0;\n"
    begin = ".visible .entry " + kernel + "(\n\tld.shared.b32 \t%r1, [%r2];\n\tvote.sync.ballot.b32 \t%r4, %p1, -1;\n"
    return begin + between.join(parts) + "\tret;\n"


def thinned(ptx: str, chance: random.Random) -> str:
    """A text without one to four of its shuffles."""
    lines = ptx.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if _SHUFFLE.search(line)]
    gone = set(chance.sample(places, min(chance.randint(1, 4), len(places))))
    return "".join(line for i, line in enumerate(lines) if i not in gone)


def predicted(num_warps: int) -> list[int]:
    """The shuffles of 5.1 in each barrier interval that has any: twice, log2 of a warp's threads, log2 of the warps."""
    within, across = int(math.log2(LANES)), int(math.log2(num_warps))
    return [within, across] * 2 if across else [2 * within]


def fault(got, want: list[int]) -> str | None:
    """None when got is the list `want` of whole numbers, else a sentence."""
    if isinstance(got, (list, tuple)) and list(got) == want:
        return None
    return said("{shown} came back, expected {want}", shown=compare.shown(got), want=want)
