"""What the programs of a launch did to one tensor: plain data, so that it may come from another process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Run = tuple[int, int, int, int]  # program, row, first column, number of columns; a vector is all row 0


@dataclass
class Panel:
    """All loads, or all stores, of one launch on one tensor, in the order they happened.

    shape: (rows, columns) of the tensor, of a vector its length alone.
    """

    kernel: str
    launch: int
    grid: list[int]
    tensor: str
    op: Literal["load", "store"]
    shape: list[int]
    lanes: int = 1  # of the widest access, along a row
    touched: list[Run] = field(default_factory=list)
    masked: list[Run] = field(default_factory=list)
    outside: list[Run] = field(default_factory=list)
    complete: bool = True  # False: more happened than is kept

    def __post_init__(self):
        if len(self.shape) not in (1, 2):
            raise ValueError("a panel has one or two dimensions")

    @property
    def vector(self) -> bool:
        """Whether the tensor has no rows, so that its elements are named by one number."""
        return len(self.shape) == 1

    def called(self, program: int) -> str:
        """The program of that number, counted with the last index of the grid fastest, as the grid names it."""
        return called([int(i) for i in np.unravel_index(program, self.grid)], self.grid)


def called(program, grid) -> str:
    """A program as its grid names it: by one number, or by as many as it takes to tell all programs apart."""
    axes = max((i + 1 for i, n in enumerate(grid) if n > 1), default=1)
    return str(program[0]) if axes == 1 else f"({', '.join(map(str, program[:axes]))})"
