"""The lanes of a program that stored each element last: another lane may touch it only behind a barrier.

The lanes of a block are threads of a GPU, which run at any pace. The same place in two blocks of one size is the same
thread; an atomic operation is a barrier, too.
"""

from __future__ import annotations

import math

import numpy as np


def lanes_of(mask: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """A number for each active lane of a block, ascending: the same one for the same place of a block of this size."""
    return np.flatnonzero(np.broadcast_to(mask, shape)) + (math.prod(shape) << 32)


class StoringLanes:
    """The stores of one launch by programs that run one by one. barriers: so far, in whatever program."""

    def __init__(self):
        self.barriers = 0
        # By tensor: for each element (program + 1, lane, barriers before it), 0 where nothing was stored. Memory that
        # is zero takes no time to make: of a large tensor, most is never touched.
        self._stores: dict[str, np.ndarray] = {}

    def overtaken(self, region, elements: np.ndarray, program: int, lanes: np.ndarray) -> int:
        """The number of elements that another lane of this program stored, with no barrier since.

        elements: element numbers. lanes: of each of them, as `lanes_of` has them.
        """
        if region.name not in self._stores:
            return 0
        by, lane, barriers = self._stores[region.name][:, elements]
        return int(((by == program + 1) & (barriers == self.barriers) & (lane != lanes)).sum())

    def store(self, region, elements: np.ndarray, program: int, lanes: np.ndarray) -> None:
        """Take note of a store. Arguments as for `overtaken`."""
        if region.name not in self._stores:
            self._stores[region.name] = np.zeros((3, region.numel), np.int64)
        stores = self._stores[region.name]
        stores[0, elements], stores[1, elements], stores[2, elements] = program + 1, lanes, self.barriers
