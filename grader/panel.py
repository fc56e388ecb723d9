"""What the programs of a launch did to one tensor: plain data, so that it may come from another process."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from .memory import called

Run = list[int]  # program, row, first column, number of columns; a vector is all row 0


@dataclass
class Panel:
    """All loads, or all stores, of one launch on one tensor, in the order they happened.

    shape: (rows, columns) of the tensor, of a vector its length alone.
    """

    kernel: str
    launch: int
    grid: list[int]
    tensor: str
    op: str  # load or store
    shape: list[int]
    lanes: int = 1  # of the widest access, along a row
    touched: list[Run] = field(default_factory=list)
    masked: list[Run] = field(default_factory=list)
    outside: list[Run] = field(default_factory=list)
    complete: bool = True  # False: more happened than is kept

    @property
    def vector(self) -> bool:
        """Whether the tensor has no rows, so that its elements are named by one number."""
        return len(self.shape) == 1

    def called(self, program: int) -> str:
        """The program of that number, counted with the last index of the grid fastest, as the grid names it."""
        return called([int(i) for i in np.unravel_index(program, self.grid)], self.grid)


def pieces(runs: list[Run]) -> list[tuple[int, int, int, list[int]]]:
    """(row, first column, number of columns, programs) for runs cut where they overlap.

    The programs stand in the order in which they came, one that came twice is there twice.
    """
    rows = defaultdict(list)
    for order, (program, row, first, count) in enumerate(runs):
        rows[row].append((first, first + count, order, program))
    found: list[tuple[int, int, int, list[int]]] = []
    for row in sorted(rows):
        spans = sorted(rows[row], reverse=True)
        edges = sorted({edge for first, end, *_ in spans for edge in (first, end)})
        here: list[tuple[int, int, int]] = []  # order, program, end
        for edge, following in zip(edges, edges[1:]):
            here = [span for span in here if span[2] > edge]
            while spans and spans[-1][0] == edge:
                _, end, order, program = spans.pop()
                here.append((order, program, end))
            programs = [program for _, program, _ in sorted(here)]
            last = found[-1] if found else None
            if last and last[0] == row and last[1] + last[2] == edge and last[3] == programs:
                found[-1] = (row, last[1], following - last[1], programs)
            elif programs:
                found.append((row, edge, following - edge, programs))
    return found
