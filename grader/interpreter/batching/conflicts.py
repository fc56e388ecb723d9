"""The transaction of a batched pass: it records the accesses, checks them for conflicts, and is committed or undone.

During the pass the stores of the kernel change the tensors, and an undo log keeps the old contents. A conflict is an
element that one program stores and another program loads or stores. Without a conflict, every order of the programs
gives the same result, and `commit` writes the launch record as if the programs had run one after another. With a
conflict, `undo` restores the memory.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from ..address_space import Region, owner
from ..ledger import Ledger, ascend, transfers
from ..recorder import Recorder, lines
from ..state import current
from .access import Access, Lanes
from .array import MOST_LANES, BatchArray, TooWide, Unbatchable, everyone

_MAX_RECORDED_ELEMENTS = 32 * MOST_LANES  # element numbers that a pass may record
# A pass may have this many times the accesses of the first program, or so many. The limit ends a loop that waits for a
# store of another program: in a pass, that store may never happen.
_ACCESS_LIMIT_FACTOR, _LEAST_LIMIT = 64, 1 << 12
_MOST_SAVED = 1 << 26  # bytes of one tensor in the undo log: rows may lie gigabytes apart


class Unexpected(Unbatchable):
    """The first store of the launch to a tensor: it is not in `written` yet.

    Earlier loads of this tensor in the same pass were not recorded, so they cannot be checked for conflicts. The tensor
    has been added to `written`, and the pass can be repeated.
    """


@dataclass
class Kept:
    """The record of one access to a tensor that some program stores to.

    elements: row-major element numbers of the active lanes, one program after the other.
    """

    op: str  # "load" or "store"
    region: Region
    elements: slice | np.ndarray
    counts: np.ndarray  # active lanes of each program
    once: bool  # no element occurs twice
    ticks: np.ndarray  # accesses of each program so far in the pass, this one included
    lanes: Lanes  # of one program, where it is the same for all
    block: int  # lanes of one program, masked ones included
    barriers: int  # of the pass before it


class Transaction:
    """The accesses of one pass.

    regions: all tensors of the launch. programs: numbers of the programs of the pass, ascending. places: the turn of
    each of them if they ran one after another, 0 to len(programs) - 1. written: indices of the regions that programs
    store to; the set belongs to the launch, and the pass adds to it. usual: number of accesses of the first program of
    the launch, which ran alone.
    ticks: number of accesses of each program so far; an access without an active lane does not count.
    barriers: so far.
    """

    def __init__(self, regions: list[Region], programs: np.ndarray, places: np.ndarray, written: set[int], usual: int):
        self.regions, self.programs, self.places, self.written = regions, programs, places, written
        self.ticks = np.zeros(len(programs), np.int64)
        self.barriers = 0
        self._kept: list[Kept] = []
        self._trace: list[tuple] = []  # for a recorder: (operation, addresses, mask) of each access
        self._recorded_elements, self._access_count = 0, 0
        self._access_limit = max(_ACCESS_LIMIT_FACTOR * usual, _LEAST_LIMIT)
        self._transfers: dict[tuple[str, int], int] = {}  # elements moved, by operation and region
        self._first_access: dict[int, tuple[int, int]] = {}  # by region: (place, tick) of the first access
        self._widest = 0
        self._loaded = np.zeros(len(programs), np.int64)  # active lanes of the loads of each program
        self._undo_log: list[tuple[np.ndarray, np.ndarray]] = []  # (memory, its old contents)
        # By region: the real addresses of the memory in the undo log, [begin, end).
        self._saved_ranges: dict[int, tuple[int, int]] = {}

    def access(
        self, op: str, ptrs: np.ndarray | BatchArray, mask: np.ndarray | BatchArray, width: int
    ) -> tuple[Access | None, np.ndarray | BatchArray]:
        """Check one access of all programs and record it. Returns (access, real addresses).

        op: "load" or "store". ptrs: guarded addresses (address_space.py). mask: broadcasts to their shape. width: bytes
        of an element as the kernel sees it. Where no lane is active, the access is None, and the addresses are `ptrs`.
        Where neither addresses nor mask are a BatchArray, the access is uniform and is described for one program.

        Raises Unbatchable for an access that a pass cannot do. An access out of bounds is one of them: the program
        raises the error for it when it runs alone.
        """
        self._access_count += 1
        if self._access_count > self._access_limit or mask.dtype != bool:
            raise Unbatchable("too many accesses, or a mask of numbers")
        uniform = not (isinstance(ptrs, BatchArray) or isinstance(mask, BatchArray))
        programs = 1 if uniform else len(self.programs)
        if programs * ptrs.size > MOST_LANES and not uniform:
            raise TooWide(ptrs.size)
        if current.recorder is not None:
            self._trace.append((op, ptrs, mask))
            self._limit_recorded_elements(len(self.programs) * ptrs.size)
        lanes = Lanes(mask, programs, ptrs.shape)
        active = lanes.pick(everyone(ptrs, programs, *ptrs.shape))
        if active.size == 0:
            return None, ptrs
        low, high = int(active.min()), int(active.max())
        region = self._region(low, high, width)
        access = Access(op, region, lanes, *_element_numbers(region, active))
        if op == "store":
            self._prepare_store(region, uniform, low, high)
        self._record(access, uniform, ptrs.size)
        if region.sparse:
            real = region.to_real(everyone(ptrs, programs, *ptrs.shape))
            return access, real[0] if uniform else BatchArray(real)
        return access, region.to_real(ptrs)

    def _region(self, low: int, high: int, width: int) -> Region:
        """The tensor that all guarded addresses from low to high belong to."""
        region = owner(self.regions, low, high)
        if region is None:
            raise Unbatchable("addresses of several tensors, or of none")
        if width > region.itemsize:
            raise Unbatchable("elements that are wider than the tensor's")
        return region

    def _prepare_store(self, region: Region, uniform: bool, low: int, high: int) -> None:
        """Save the memory from the lowest to the highest element of a store, as far as it is not saved yet."""
        if uniform:
            raise Unbatchable("all programs store the same elements")
        if region.index not in self.written:
            self.written |= overlapping(region, self.regions)
            raise Unexpected(region.name)
        begin, end = region.extent()
        if not region.sparse:
            begin, end = (address - region.base + region.real for address in (low, high + region.itemsize))
        saved = self._saved_ranges.get(region.index, (begin, begin))
        if max(end, saved[1]) - min(begin, saved[0]) > _MOST_SAVED:
            raise Unbatchable("a store over more memory than a pass saves")
        for part in ((min(begin, saved[0]), saved[0]), (saved[1], max(end, saved[1]))):
            if part[0] < part[1]:
                memory = np.frombuffer((ctypes.c_ubyte * (part[1] - part[0])).from_address(part[0]), np.uint8)
                self._undo_log.append((memory, memory.copy()))
        self._saved_ranges[region.index] = min(begin, saved[0]), max(end, saved[1])

    def _record(self, access: Access, uniform: bool, block: int) -> None:
        """Add an access to the totals, and to the accesses to check if its tensor is stored to.

        block: lanes of one program, masked ones included.
        """
        program_count, region, elements = len(self.programs), access.region, access.elements
        counts = np.repeat(access.lanes.counts, program_count) if uniform else access.lanes.counts
        touching = counts > 0
        self.ticks += touching
        # Of the programs with an active lane, the one whose turn is first. The ledger lists tensors by first access.
        first = int(np.where(touching, self.places, self.places.max() + 1).argmin())
        new = int(self.places[first]), int(self.ticks[first])
        self._first_access[region.index] = min(new, self._first_access.get(region.index, new))
        moved = int(access.lanes.counts.sum())
        if not access.once:
            moved = transfers(access.elements, np.repeat(np.arange(access.lanes.programs), access.lanes.counts))
        key = access.op, region.index
        self._transfers[key] = self._transfers.get(key, 0) + moved * (program_count if uniform else 1)
        self._widest = max(self._widest, int(counts.max()))
        if access.op == "load":
            self._loaded += counts
        if region.index not in self.written:
            return
        if uniform:
            if program_count * int(counts[0]) > MOST_LANES:
                raise TooWide(int(counts[0]))
            elements = np.tile(np.r_[elements], program_count)
        once = access.once and not uniform
        kept = Kept(access.op, region, elements, counts, once, self.ticks.copy(), access.lanes, block, self.barriers)
        self._kept.append(kept)
        self._limit_recorded_elements(0 if isinstance(elements, slice) else elements.size)

    def _limit_recorded_elements(self, count: int) -> None:
        """Add to the number of recorded elements; raise TooWide where there are too many for one pass."""
        self._recorded_elements += count
        if self._recorded_elements > _MAX_RECORDED_ELEMENTS:
            raise TooWide(1)

    def undo(self) -> None:
        """Restore the memory that the stores of the pass changed."""
        for memory, contents in reversed(self._undo_log):
            memory[:] = contents

    def check(self) -> None:
        """Raise Unbatchable if a program loaded or stored an element that another program stored."""
        for index in self.written:
            region = self.regions[index - 1]
            same = overlapping(region, self.regions)
            if any(not _same_layout(self.regions[i - 1], region) for i in same):
                raise Unbatchable("tensors that share some of their memory")
            if index == min(same):  # regions on the same memory are checked once, together
                self._check_accesses([a for a in self._kept if a.region.index in same])

    def _check_accesses(self, accesses: list[Kept]) -> None:
        """Check the accesses to one tensor.

        `storing_program` has one entry for each element: the program that stored it, as a place in self.programs that
        is counted from 1, or 0. All stores are entered first. So a load finds the store of another program even if it
        came before the store.
        """
        stores = [a for a in accesses if a.op == "store"]
        if not stores or (len(accesses) == 1 and stores[0].once):
            return
        low, high = zip(*(_bounds(a.elements) for a in accesses))
        low = min(low)
        storing_program, places = np.zeros(max(high) - low, np.int32), np.arange(1, len(self.programs) + 1)
        for access in sorted(accesses, key=lambda a: a.op, reverse=True):  # "store" before "load"
            elements, programs = _shifted(access.elements, low), np.repeat(places, access.counts)
            before = storing_program[elements]
            conflict = ((before > 0) & (before != programs)).any()
            if access.op == "store":
                storing_program[elements] = programs
                # Where two programs store one element in this access, the entry holds only one of them.
                conflict = conflict or not (access.once or (storing_program[elements] == programs).all())
            if conflict:
                raise Unbatchable("a program touches what another one stores")
        if any(access.op == "store" and not access.once for access in accesses) or accesses[-1:] != stores:
            self._check_lanes(accesses, low, len(storing_program))

    def _check_lanes(self, accesses: list[Kept], low: int, size: int) -> None:
        """Raise Unbatchable if a lane touched what another lane of its program stored, with no barrier in between.

        Such a program runs alone, where the launch record counts it. low, size: of the range of elements.
        """
        storing_lane, barriers = np.zeros(size, np.int64), np.zeros(size, np.int64)  # no lane has the number 0
        for access in accesses:
            elements, lanes = _shifted(access.elements, low), _lane_numbers(access, len(self.programs))
            before = storing_lane[elements]
            conflict = ((before > 0) & (before != lanes) & (barriers[elements] == access.barriers)).any()
            if access.op == "store":
                storing_lane[elements], barriers[elements] = lanes, access.barriers
                conflict = conflict or not (access.once or (storing_lane[elements] == lanes).all())
            if conflict:
                raise Unbatchable("a lane touches what another one stores")

    def show(self, recorder: Recorder) -> None:
        """Pass the accesses to a recorder, in the order in which the programs would run one after another."""
        count = len(self.programs)
        trace = [(op, *(everyone(data, count, *ptrs.shape) for data in (ptrs, mask))) for op, ptrs, mask in self._trace]
        trace = [(op, ptrs, mask, lines(ptrs, mask, self.regions)) for op, ptrs, mask in trace]
        for at in np.argsort(self.places):
            for op, ptrs, mask, line in trace:
                recorder.keep(op, ptrs[at], mask[at], line[at], self.regions, int(self.programs[at]))

    def commit(self, ledger: Ledger) -> None:
        """Write the accesses to the ledger, as if the programs had run one after another."""
        launch = ledger.launches[-1]
        order = np.argsort(self.places)
        # For each program, the clock of the launch at which it would begin.
        begins = np.empty_like(self.ticks)
        begins[order] = launch.clock + np.cumsum(self.ticks[order]) - self.ticks[order]
        launch.clock += int(self.ticks.sum())
        launch.widest = max(launch.widest, self._widest)
        some = self._loaded > 0
        launch.loaded.update(dict(zip(self.programs[some].tolist(), self._loaded[some].tolist())))
        for index in sorted(self._first_access, key=self._first_access.get):
            entry = ledger.entry(self.regions[index - 1])
            for op in ("load", "store"):
                entry.add(op, self._transfers.get((op, index), 0))
        for access in self._kept:
            programs = np.repeat(self.programs, access.counts)
            if access.op == "load":
                launch.load(access.region, access.elements, programs)
            else:
                launch.storing_programs.update(self.programs[access.counts > 0].tolist())
                times = np.repeat(begins + access.ticks, access.counts)
                launch.store(access.region, access.elements, programs, times)


def overlapping(region: Region, regions: list[Region]) -> set[int]:
    """Indices of the regions whose memory may overlap that of a region, itself included."""
    begin, end = region.extent()
    return {r.index for r in regions if r is region or (r.extent()[0] < end and begin < r.extent()[1])}


def _lane_numbers(access: Kept, programs: int) -> np.ndarray:
    """The lane of each element of an access, as ledger.lanes_of has them."""
    places = np.broadcast_to(np.arange(access.block) + (access.block << 32), (access.lanes.programs, access.block))
    found = access.lanes.pick(places)
    return np.tile(found, programs // access.lanes.programs)


def _same_layout(a: Region, b: Region) -> bool:
    """Whether the same element number means the same memory in both regions."""
    same = (a.contiguous and b.contiguous) or (a.shape, a.strides) == (b.shape, b.strides)
    return (a.real, a.itemsize) == (b.real, b.itemsize) and same


def _element_numbers(region: Region, active: np.ndarray) -> tuple[slice | np.ndarray, bool]:
    """(element numbers, whether none occurs twice) for the guarded addresses of the active lanes.

    The flag is true if the numbers increase strictly. Raises Unbatchable for an address out of bounds.
    """
    steps = active[1:] - active[:-1]  # unsigned: a step down wraps to a huge number
    if region.contiguous and (steps == region.itemsize).all():
        start, rest = divmod(int(active[0]) - region.base, region.itemsize)
        if rest or start < 0 or start + active.size > region.numel:
            raise Unbatchable("out of bounds")
        return slice(start, start + active.size), True
    elements, good = region.elements(active)
    if not good.all():
        raise Unbatchable("out of bounds")
    return elements, ascend(elements)


def _bounds(elements: slice | np.ndarray) -> tuple[int, int]:
    """(lowest element number, highest + 1)."""
    if isinstance(elements, slice):
        return elements.start, elements.stop
    return int(elements.min()), int(elements.max()) + 1


def _shifted(elements: slice | np.ndarray, by: int) -> slice | np.ndarray:
    """The element numbers less `by`."""
    return slice(elements.start - by, elements.stop - by) if isinstance(elements, slice) else elements - by
