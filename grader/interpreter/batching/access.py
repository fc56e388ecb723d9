"""The active lanes of one access of a batched pass, and the movement of data through these lanes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from ..address_space import Region
from .array import BatchArray, everyone


class Lanes:
    """The active lanes of one block in each program: the lanes where the mask is true.

    mask: a BatchArray of bool, or an ndarray of bool that holds for every program; broadcast to `shape`.
    programs: number of programs. shape: shape of the block of one program.
    counts: int array of shape (programs,), the active lanes of each program.
    """

    def __init__(self, mask: np.ndarray | BatchArray, programs: int, shape: tuple[int, ...]):
        self.programs = programs
        if isinstance(mask, BatchArray):
            self._key = everyone(mask, programs, *shape).reshape(programs, -1)
            self.counts = np.count_nonzero(self._key, axis=1)
        else:
            chosen = np.broadcast_to(mask, shape).reshape(-1)
            count = int(np.count_nonzero(chosen))
            # The usual mask cuts off the end of a block. A slice is then faster than a boolean index.
            self._key = (slice(None), slice(count) if chosen[:count].all() else chosen)
            self.counts = np.full(programs, count)

    def pick(self, values: np.ndarray) -> np.ndarray:
        """The values of the active lanes, one program after the other, as one axis.

        values: array of shape (programs, *shape). The result has counts.sum() elements.
        """
        return values.reshape(self.programs, -1)[self._key].reshape(-1)

    def put(self, values: np.ndarray, active: np.ndarray) -> None:
        """Write `active` into the active lanes of `values`, in place: the inverse of `pick`.

        values: C-contiguous array of shape (programs, *shape). active: counts.sum() elements.
        """
        lanes = values.reshape(self.programs, -1)
        lanes[self._key] = active if isinstance(self._key, np.ndarray) else active.reshape(self.programs, -1)


@dataclass
class Access:
    """One load or store of all programs of a pass.

    elements: row-major element numbers of the active lanes, one program after the other. A slice where they are
    consecutive.
    """

    op: str  # "load" or "store"
    region: Region
    lanes: Lanes
    elements: slice | np.ndarray
    once: bool  # no element occurs twice

    def memory(self, dtype: np.dtype) -> np.ndarray | None:
        """The memory of the tensor as one axis of `dtype`, to be indexed with `elements`. Shared, not copied.

        None if the tensor has gaps, or if the size of `dtype` differs from that of its elements.
        """
        region = self.region
        if not region.contiguous or dtype.itemsize != region.itemsize:
            return None
        return np.frombuffer((ctypes.c_ubyte * (region.numel * region.itemsize)).from_address(region.real), dtype)
