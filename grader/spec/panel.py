"""The accesses of a launch to one tensor, for a trace: plain data that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..sentence import said

Run = tuple[int, int, int, int]  # (program, row, first column, number of columns); a vector has row 0 only
Step = tuple[int, int, int, int]  # (number of an access in its launch, from 1, and the lengths of three lists after it)


@dataclass
class Panel:
    """All loads, or all stores, of one launch on one tensor, in the order in which they happened.

    launch: number of the launch, from 1. shape: [rows, columns] of the tensor, or [length] of a vector. touched,
    masked, outside: runs of lanes that accessed an element, were masked, or were out of bounds. steps: one for each
    access, with the lengths of these three lists after it. Raises ValueError for another number of dimensions.
    """

    kernel: str
    launch: int
    grid: list[int]
    tensor: str
    op: Literal["load", "store"]
    shape: list[int]
    lanes: int = 1  # lanes of the widest access, along a row
    touched: list[Run] = field(default_factory=list)
    masked: list[Run] = field(default_factory=list)
    outside: list[Run] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    complete: bool = True  # False: some accesses are left out

    def __post_init__(self):
        if len(self.shape) not in (1, 2):
            raise ValueError(said("a panel has one or two dimensions"))

    @property
    def vector(self) -> bool:
        """Whether the tensor has one dimension, so that one number names an element."""
        return len(self.shape) == 1

    def called(self, program: int) -> str:
        """The name of a program. program: its number in the grid, the last axis fastest."""
        return called([int(i) for i in np.unravel_index(program, self.grid)], self.grid)


def called(program, grid) -> str:
    """The name of a program, such as "3" or "(1, 2)": its indices up to the last grid axis longer than 1.

    program: index along each axis. grid: number of programs along each axis.
    """
    axes = max((i + 1 for i, n in enumerate(grid) if n > 1), default=1)
    return str(program[0]) if axes == 1 else f"({', '.join(map(str, program[:axes]))})"
