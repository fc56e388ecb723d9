"""The counts of one compiled kernel, the same for every maker of GPUs."""

from __future__ import annotations

import linecache
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

KERNEL = re.compile(r"<kernel \w+ [0-9a-f]{16}>")  # a file name of device_side/kernel_text.py


@dataclass
class Counts:
    """Instructions of a kernel's text by kind. One in a loop counts once, however often it runs.

    loads, stores: of global memory; number of instructions by the bytes that each moves for a thread. shuffles: read a
    register of another thread of the warp. reductions: of one value over a whole warp. special: exp2, 1/x and their
    like. listing: (line of the kernel, instruction), in the order of the machine code; "" where no line is known.
    """

    loads: dict[int, int] = field(default_factory=Counter)
    stores: dict[int, int] = field(default_factory=Counter)
    shuffles: int = 0
    reductions: int = 0
    barriers: int = 0
    special: int = 0
    listing: list[tuple[str, str]] = field(default_factory=list)


def line_of(places: Iterable[tuple[str, int]]) -> str:
    """The learner's line: the first place that is in the text of a kernel. places: (file, line), innermost first."""
    for file, line in places:
        found = KERNEL.search(file)
        if found:
            return linecache.getline(found[0], line).rstrip()
    return ""
