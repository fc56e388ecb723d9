"""What a pass of many programs touched, kept aside until it is known to be what they would have done one by one.

Programs may run at once if none of them loads or stores what another one stores. Then every order gives the same
result, and the launch record can be written afterwards as if they had run in theirs.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from ..address_space import Region, owner
from ..ledger import Ledger, ascend, transfers
from ..recorder import Recorder
from ..state import current
from .access import Access, Lanes
from .array import MOST_LANES, BatchArray, TooWide, Unbatchable, everyone

_MOST_KEPT = 8 * MOST_LANES  # element numbers of a pass's accesses
_MOST_ACCESSES = 64  # times those of the program that went alone: else a pass may wait for what another one stores


class Unexpected(Unbatchable):
    """A store to a tensor that no program stored to before: whoever loaded it in this pass was not kept."""


@dataclass
class Kept:
    """One access to a tensor that is stored to. elements: of one program after the other."""

    op: str
    region: Region
    elements: slice | np.ndarray
    counts: np.ndarray  # active lanes of each program
    once: bool  # no element twice
    ticks: np.ndarray  # accesses of each program until then, this one included


class Transaction:
    """One pass. programs: their numbers, upwards. places: when each would have its turn."""

    def __init__(self, regions: list[Region], programs: np.ndarray, places: np.ndarray, written: set[int], usual: int):
        self.regions, self.programs, self.places, self.written = regions, programs, places, written
        self.ticks = np.zeros(len(programs), np.int64)
        self._kept: list[Kept] = []
        self._trace: list[tuple] = []  # for a recorder: (operation, addresses, mask)
        self._numbers, self._accesses, self._most = 0, 0, _MOST_ACCESSES * max(usual, 1)
        self._moved: dict[tuple[str, int], int] = {}  # elements by operation and region
        self._first: dict[int, tuple[int, int]] = {}  # for each region the (place, tick) of its first access
        self._widest = 0
        self._before: list[tuple[np.ndarray, np.ndarray]] = []  # memory, and what it held
        self._saved: dict[int, tuple[int, int]] = {}  # by region: where that memory begins and ends

    def access(self, op: str, ptrs, mask, width: int) -> tuple[Access | None, np.ndarray | BatchArray]:
        """Check one access of all programs and keep it. Returns it, unless no lane is active, and real addresses.

        width: bytes of an element as the kernel sees it. What is the same for all programs is described for one.
        """
        self._accesses += 1
        if self._accesses > self._most or mask.dtype != bool:
            raise Unbatchable("too many accesses, or a mask of numbers")
        alike = not (isinstance(ptrs, BatchArray) or isinstance(mask, BatchArray))
        programs = 1 if alike else len(self.programs)
        if programs * ptrs.size > MOST_LANES and not alike:
            raise TooWide(ptrs.size)
        if current.recorder is not None:
            self._trace.append((op, ptrs, mask))
            self._keep_numbers(len(self.programs) * ptrs.size)
        lanes = Lanes(mask, programs, ptrs.shape)
        active = lanes.pick(everyone(ptrs, programs, *ptrs.shape))
        if active.size == 0:
            return None, ptrs
        low, high = int(active.min()), int(active.max())
        region = self._region(low, high, width)
        access = Access(op, region, lanes, *_elements(region, active))
        if op == "store":
            self._prepare_store(region, alike, low, high)
        self._count(access, alike)
        return access, ptrs + region.to_real

    def _region(self, low: int, high: int, width: int) -> Region:
        region = owner(self.regions, low, high)
        if region is None:
            raise Unbatchable("addresses of several tensors, or of none")
        if width > region.itemsize:
            raise Unbatchable("elements that are wider than the tensor's")
        return region

    def _prepare_store(self, region: Region, alike: bool, low: int, high: int) -> None:
        if alike:
            raise Unbatchable("all programs store the same elements")
        if region.index not in self.written:
            self.written |= overlapping(region, self.regions)
            raise Unexpected(region.name)
        begin, end = (address - region.base + region.real for address in (low, high + region.itemsize))
        saved = self._saved.get(region.index, (begin, begin))
        for part in ((min(begin, saved[0]), saved[0]), (saved[1], max(end, saved[1]))):
            if part[0] < part[1]:
                memory = np.frombuffer((ctypes.c_ubyte * (part[1] - part[0])).from_address(part[0]), np.uint8)
                self._before.append((memory, memory.copy()))
        self._saved[region.index] = min(begin, saved[0]), max(end, saved[1])

    def _count(self, access: Access, alike: bool) -> None:
        many, region, elements = len(self.programs), access.region, access.elements
        counts = np.repeat(access.lanes.counts, many) if alike else access.lanes.counts
        touching = counts > 0
        self.ticks += touching
        first = int(np.where(touching, self.places, self.places.max() + 1).argmin())
        new = int(self.places[first]), int(self.ticks[first])
        self._first[region.index] = min(new, self._first.get(region.index, new))
        moved = int(access.lanes.counts.sum())
        if not access.once:
            moved = transfers(access.elements, np.repeat(np.arange(access.lanes.programs), access.lanes.counts))
        key = access.op, region.index
        self._moved[key] = self._moved.get(key, 0) + moved * (many if alike else 1)
        self._widest = max(self._widest, int(counts.max()))
        if region.index not in self.written:
            return
        if alike:
            if many * int(counts[0]) > MOST_LANES:
                raise TooWide(int(counts[0]))
            elements = np.tile(np.r_[elements], many)
        self._kept.append(Kept(access.op, region, elements, counts, access.once and not alike, self.ticks.copy()))
        self._keep_numbers(0 if isinstance(elements, slice) else elements.size)

    def _keep_numbers(self, count: int) -> None:
        self._numbers += count
        if self._numbers > _MOST_KEPT:
            raise TooWide(1)

    def undo(self) -> None:
        """Put back what the stores overwrote."""
        for memory, held in reversed(self._before):
            memory[:] = held

    def check(self) -> None:
        """Refuse a pass in which a program touched what another one stored."""
        if len({region.name for region in self.regions}) < len(self.regions):
            raise Unbatchable("tensors of one name, which the launch record would mix up")
        for index in self.written:
            region = self.regions[index - 1]
            same = overlapping(region, self.regions)
            if any(not _congruent(self.regions[i - 1], region) for i in same):
                raise Unbatchable("tensors that share some of their memory")
            if index == min(same):
                self._check([a for a in self._kept if a.region.index in same])

    def _check(self, accesses: list[Kept]) -> None:
        stores = [a for a in accesses if a.op == "store"]
        if not stores or (len(accesses) == 1 and stores[0].once):
            return
        low, high = zip(*(_ends(a.elements) for a in accesses))
        low = min(low)
        storer = np.full(max(high) - low, -1, np.int32)
        for access in sorted(accesses, key=lambda a: a.op, reverse=True):  # stores, then loads
            elements, who = _shifted(access.elements, low), np.repeat(np.arange(len(self.programs)), access.counts)
            before = storer[elements]
            clash = ((before >= 0) & (before != who)).any()
            if access.op == "store":
                storer[elements] = who
                clash = clash or not (access.once or (storer[elements] == who).all())
            if clash:
                raise Unbatchable("a program touches what another one stores")

    def show(self, recorder: Recorder) -> None:
        """Hand the accesses to a recorder as one program after another would have."""
        many = len(self.programs)
        trace = [(op, *(everyone(data, many, *ptrs.shape) for data in (ptrs, mask))) for op, ptrs, mask in self._trace]
        for at in np.argsort(self.places):
            for op, ptrs, mask in trace:
                recorder.access(op, ptrs[at], mask[at], self.regions, int(self.programs[at]))

    def commit(self, ledger: Ledger) -> None:
        """Write the accesses down as one program after another would have."""
        launch = ledger.launches[-1]
        order = np.argsort(self.places)
        begins = np.empty_like(self.ticks)
        begins[order] = launch.clock + np.cumsum(self.ticks[order]) - self.ticks[order]
        launch.clock += int(self.ticks.sum())
        launch.widest = max(launch.widest, self._widest)
        for index in sorted(self._first, key=self._first.get):
            entry = ledger.entry(self.regions[index - 1])
            for op in ("load", "store"):
                entry.add(op, self._moved.get((op, index), 0))
        for access in self._kept:
            who = np.repeat(self.programs, access.counts)
            if access.op == "load":
                launch.load(access.region, access.elements, who)
            else:
                launch.storing_programs.update(self.programs[access.counts > 0].tolist())
                times = np.repeat(begins + access.ticks, access.counts)
                launch.store(access.region, access.elements, who, times)


def overlapping(region: Region, regions: list[Region]) -> set[int]:
    """The numbers of the regions that may share memory with one, itself included."""
    begin, end = region.extent()
    return {r.index for r in regions if r is region or (r.extent()[0] < end and begin < r.extent()[1])}


def _congruent(a: Region, b: Region) -> bool:
    """Whether an element's number means the same memory in both."""
    same = (a.contiguous and b.contiguous) or (a.shape, a.strides) == (b.shape, b.strides)
    return (a.real, a.itemsize) == (b.real, b.itemsize) and same


def _elements(region: Region, active: np.ndarray) -> tuple[slice | np.ndarray, bool]:
    """Numbers of the active lanes' elements, and whether they go upwards all along, so that none comes twice."""
    steps = active[1:] - active[:-1]  # unsigned: a step down is a huge one
    if region.contiguous and (steps == region.itemsize).all():
        start, rest = divmod(int(active[0]) - region.base, region.itemsize)
        if rest or start < 0 or start + active.size > region.numel:
            raise Unbatchable("out of bounds")
        return slice(start, start + active.size), True
    elements, good = region.elements(active)
    if not good.all():
        raise Unbatchable("out of bounds")
    return elements, ascend(elements)


def _ends(elements: slice | np.ndarray) -> tuple[int, int]:
    if isinstance(elements, slice):
        return elements.start, elements.stop
    return int(elements.min()), int(elements.max()) + 1


def _shifted(elements: slice | np.ndarray, by: int) -> slice | np.ndarray:
    return slice(elements.start - by, elements.stop - by) if isinstance(elements, slice) else elements - by
