"""The active lanes of one access of many programs, and moving data through them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from ..address_space import Region
from .array import BatchArray, everyone


class Lanes:
    """Which lanes of a block are active in each program. shape: of one program's block."""

    def __init__(self, mask, programs: int, shape: tuple[int, ...]):
        self.programs = programs
        if isinstance(mask, BatchArray):
            self._key = everyone(mask, programs, *shape).reshape(programs, -1)
            self.counts = np.count_nonzero(self._key, axis=1)
        else:
            chosen = np.broadcast_to(mask, shape).reshape(-1)
            count = int(np.count_nonzero(chosen))
            # What is cut off at the end of a block is the usual mask, and a slice is quicker than a choice.
            self._key = (slice(None), slice(count) if chosen[:count].all() else chosen)
            self.counts = np.full(programs, count)

    def pick(self, values: np.ndarray) -> np.ndarray:
        """Of (programs, *shape): what the active lanes hold, one program after the other."""
        return values.reshape(self.programs, -1)[self._key].reshape(-1)

    def put(self, values: np.ndarray, active: np.ndarray) -> None:
        """The reverse of pick; `values` has no gaps."""
        lanes = values.reshape(self.programs, -1)
        lanes[self._key] = active if isinstance(self._key, np.ndarray) else active.reshape(self.programs, -1)


@dataclass
class Access:
    """One load or store. elements: of one program after the other, as a slice where they follow one another."""

    op: str
    region: Region
    lanes: Lanes
    elements: slice | np.ndarray
    once: bool  # no element twice

    def memory(self, dtype: np.dtype) -> np.ndarray | None:
        """The tensor's memory, to be used with `elements`, if it holds nothing but its elements of that size."""
        region = self.region
        if not region.contiguous or dtype.itemsize != region.itemsize:
            return None
        return np.frombuffer((ctypes.c_ubyte * (region.numel * region.itemsize)).from_address(region.real), dtype)
