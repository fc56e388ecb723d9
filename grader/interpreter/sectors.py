"""The count of sectors: what the warps of a launch ask of memory, from the address of each lane.

A GPU of NVIDIA moves sectors of 32 bytes, and a request is one load or store of one warp ("sectors per request" in
Nsight Compute). A block is cut into requests of 32 neighbouring lanes, one element per thread. Lanes are neighbours
along the axis of the block along which the addresses lie closest together, as Triton's compiler orders them. The
compiler may give a thread several neighbouring elements: then a request is wider, and so are its sectors. A storage
begins at the beginning of a sector, as memory that a GPU allocates does.
"""

from __future__ import annotations

import numpy as np

from ..spec.requests import SECTOR, WARP, MemoryRequests
from .address_space import WINDOW_BITS, Region
from .recorder import Line, Recorder, along_rows

_MOST = 64  # tensors and operations, of all launches together


class SectorCounter(Recorder):
    """A recorder that counts requests and sectors too. requests: one entry for each launch, tensor and operation.

    A request without an active lane is none. An access that the guard stops is left out.
    """

    def __init__(self):
        super().__init__()
        self.requests: list[MemoryRequests] = []

    def keep(self, op: str, addresses: np.ndarray, mask: np.ndarray, line: Line | None, regions, program: int) -> None:
        """As in Recorder, and count the sectors of the access."""
        super().keep(op, addresses, mask, line, regions, program)
        addresses, mask = np.atleast_1d(addresses), np.atleast_1d(mask)
        axis = along_rows(addresses)
        addresses, mask = (np.moveaxis(a, axis, -1).reshape(-1) for a in (addresses, mask))
        owners = (addresses >> np.uint64(WINDOW_BITS)).astype(np.int64)
        for region in regions:
            mine = mask & (owners == region.index)
            if mine.any() and region.elements(addresses[mine])[1].all():
                self._count(op, region, addresses, mine, program)

    def _count(self, op: str, region: Region, addresses: np.ndarray, mine: np.ndarray, program: int) -> None:
        entry = self._entry(op, region)
        if entry is None:
            return
        places = addresses.astype(np.int64) - region.base + region.real - region.start
        for first in range(0, places.size, WARP):
            lanes = first + np.flatnonzero(mine[first : first + WARP])
            if not lanes.size:
                continue
            asked = np.unique(places[lanes])
            touched = np.unique(asked // SECTOR).size
            entry.requests += 1
            entry.sectors += touched
            entry.least += -(-asked.size * region.itemsize // SECTOR)
            if touched > len({place // SECTOR for _, place in entry.shown}):
                entry.program, entry.shown = program, list(zip(lanes.tolist(), places[lanes].tolist()))

    def _entry(self, op: str, region: Region) -> MemoryRequests | None:
        for entry in reversed(self.requests):
            if (entry.launch, entry.tensor, entry.op) == (self._launch, region.name, op):
                return entry
        if len(self.requests) == _MOST:
            return None
        made = MemoryRequests(self._kernel, self._launch, self._grid, region.name, op, region.itemsize)
        self.requests.append(made)
        return made
