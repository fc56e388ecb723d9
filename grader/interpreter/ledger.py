"""The ledger: elements and bytes that an answer moved, by tensor and by operation, and a record of each launch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..spec import SharedRequests
from .float_storages import FloatStorages
from .storing_lanes import StoringLanes

_SHARE = 4  # a program with less than this part of an average share of the loads has none
_COUNTERS = 256  # integers that the launches of a recording may store before they count as numbers: fewer than a matrix


@dataclass
class Entry:
    """Traffic of one operation on one tensor.

    read, written: elements. itemsize: bytes of an element. share: floating-point numbers per element, 0 for an integer.
    storage: name of the tensor's storage, as in FloatStorages.
    """

    operation: str
    tensor: str
    read: int = 0
    written: int = 0
    itemsize: int = 4
    share: float = 1.0
    storage: int = 0

    def numbers(self) -> tuple[int, int]:
        """(floating-point numbers read, written)."""
        return math.ceil(self.read * self.share), math.ceil(self.written * self.share)

    def add(self, op: str, elements: int) -> None:
        """Add elements that a load or a store moved. op: "load" or "store"."""
        if op == "load":
            self.read += elements
        else:
            self.written += elements


@dataclass
class Launch:
    """The record of one kernel launch while it runs. The fields that spec.Launch has too are the result.

    The clock of a launch counts its accesses. Times are readings of this clock.
    """

    kernel: str
    grid: tuple[int, ...]
    options: dict
    constants: dict
    signature: dict
    divisible: dict = field(default_factory=dict)
    # Stores to an element that another program had stored to before. Left out are atomics, and stores that atomics
    # order, such as those of programs that hold one lock.
    shared: int = 0
    widest: int = 0  # active lanes of its widest access
    largest: int = 0  # as in spec.Launch, like the next one
    loads: int = 0
    # Loads of an element that another program stored after its last atomic: the two are not ordered on a GPU.
    early: int = 0
    overtaken: int = 0  # as in spec.Launch
    open: int = 0  # likewise
    tf32: bool = False  # whether a tl.dot of float32 was not told to keep all its bits
    storing_programs: set[int] = field(default_factory=set)
    loaded: Counter[int] = field(default_factory=Counter)  # by program: active lanes of its loads
    # By index of a region and by element: the program that stored to it last, counted from 1 (0: none), and the time of
    # that store. Memory that is zero takes no time to make.
    owners: dict[int, np.ndarray] = field(default_factory=dict)
    times: dict[int, np.ndarray] = field(default_factory=dict)
    atomics: dict[int, int] = field(default_factory=dict)  # by program: the time of its last atomic
    # By program, and by element of a lock or a counter: up to which time it knows of what each program did.
    known: dict[int, dict[int, int]] = field(default_factory=dict)
    told: dict[tuple, dict[int, int]] = field(default_factory=dict)
    clock: int = 0
    program: int = -1  # as in spec.Launch

    @property
    def storing(self) -> int:
        """Number of programs that stored anything."""
        return len(self.storing_programs)

    @property
    def lanes(self) -> int:
        """Active lanes of all its loads."""
        return self.loaded.total()

    @property
    def working(self) -> int:
        """Number of programs that stored anything, and loaded a fourth of what a program loads on average or more."""
        programs, whole = math.prod(self.grid), self.lanes
        return sum(_SHARE * programs * self.loaded[program] >= whole for program in self.storing_programs)

    def load(self, region, elements, program) -> None:
        """Count loads.

        elements: element numbers, array or slice. program: one for all, or an array with one for each.
        """
        if region.index not in self.owners:
            return
        owners, times = self.owners[region.index][elements] - 1, self.times[region.index][elements]
        theirs = (owners >= 0) & (owners != program)
        self.early += sum(
            time > self.atomics.get(owner, -1) for owner, time in zip(*(a[theirs].tolist() for a in (owners, times)))
        )

    def store(self, region, elements, program, time, atomic: bool = False) -> None:
        """Count stores, and keep their program and time for each element.

        elements: element numbers, array or slice. program, time: one for all, or an array with one for each.
        """
        place = region.index
        if place not in self.owners:
            self.owners[place] = np.zeros(region.numel, np.int64)
            self.times[place] = np.zeros(region.numel, np.int64)
        if not atomic:
            before = self.owners[place][elements] - 1
            theirs = (before >= 0) & (before != program)
            if theirs.any() and (known := self.known.get(program) if type(program) is int else None):
                pairs = zip(before[theirs].tolist(), self.times[place][elements][theirs].tolist())
                self.shared += sum(known.get(owner, -1) < when for owner, when in pairs)
            else:
                self.shared += int(theirs.sum())
        self.owners[place][elements], self.times[place][elements] = program + 1, time

    def synchronize(self, element: tuple, program: int) -> None:
        """Note that a program made an atomic access to one element: it knows what all did before theirs to it.

        element: (index of the region, number). In an atomic access to a block, nobody waits for anybody.
        """
        known, told = self.known.setdefault(program, {}), self.told.setdefault(element, {})
        for one, when in (*told.items(), (program, self.clock)):
            known[one] = max(when, known.get(one, -1))
        told.update(known)


def ascend(elements: np.ndarray) -> bool:
    """Whether element numbers increase strictly, so that none occurs twice."""
    return bool((elements[1:] > elements[:-1]).all())


def transfers(elements: np.ndarray, programs: np.ndarray | None = None) -> int:
    """The number of elements that one instruction moves. Lanes of one program with the same address count once.

    elements: element numbers of the active lanes, one axis. programs: the program of each lane; None for one program.
    """
    if programs is not None:
        elements = programs * (int(elements.max()) + 1) + elements
    return elements.size if ascend(elements) else np.unique(elements).size


class Ledger:
    """The accesses of the launches and operations of one recording.

    An element counts once per instruction. A masked lane never counts. storages: those that hold floating-point
    numbers. late: numbers read once the last argument had been read, by name of the storage.
    """

    def __init__(self, storages: FloatStorages | None = None):
        self.storages = storages if storages is not None else FloatStorages()
        self.entries: list[Entry] = []
        self.launches: list[Launch] = []
        self.shared_requests: list[SharedRequests] = []  # of CUDA kernels, where they are counted
        self.language: list[str] = []  # functions of triton.language's own library that kernels called
        self.last_argument: int | None = None  # storage of the last tensor that the call was given
        self.late: Counter[int] = Counter()
        self._late_by_now = False
        self._open: dict[tuple, Entry] = {}
        self.storing_lanes = StoringLanes()
        self._integers = 0  # stored by kernels so far

    def begin_launch(self, launch: Launch) -> None:
        """Count the accesses from now on for this launch."""
        self.launches.append(launch)
        self._open, self.storing_lanes = {}, StoringLanes()

    def access(
        self, op: str, region, elements: np.ndarray, program: int, lanes: np.ndarray, atomic: bool = False
    ) -> None:
        """Count one load or store of one program. elements: row-major element numbers of the active lanes.

        A lane that is wider than an element has several, along a second axis. lanes: as storing_lanes.lanes_of has
        them.
        """
        launch = self.launches[-1]
        launch.widest = max(launch.widest, len(elements))
        lanes = np.repeat(lanes, elements.size // max(1, len(elements)))
        elements = elements.reshape(-1)
        if not atomic:
            launch.overtaken += self.storing_lanes.overtaken(region, elements, program, lanes)
        launch.clock += 1
        self.entry(region).add(op, transfers(elements))
        if op == "load":
            launch.loaded[program] += elements.size
            launch.load(region, elements, program)
            return
        launch.storing_programs.add(program)
        if atomic:
            launch.atomics[program] = launch.clock
            if elements.size == 1:
                launch.synchronize((region.index, int(elements[0])), program)
            self.storing_lanes.barriers += 1
        self.storing_lanes.store(region, elements, program, lanes)
        launch.store(region, elements, program, launch.clock, atomic)

    def entry(self, region) -> Entry:
        """The entry for the traffic of the current launch on a tensor; a new one at its first access."""
        key = (region.index, region.name)
        if key not in self._open:
            kernel = self.launches[-1].kernel
            share = self.storages.share(region.storage, region.itemsize, region.floating)
            self._open[key] = Entry(kernel, region.name, 0, 0, region.itemsize, share, region.storage)
            self.entries.append(self._open[key])
        return self._open[key]

    def end_launch(self) -> None:
        """Settle the accesses of a launch, however it ended. Integers that it stored count as numbers, unless they are
        a few, such as counters.

        Any of them may be a number in another form. So the few are those of all launches together.
        """
        entries, self._open = list(self._open.values()), {}
        stored = [entry for entry in entries if not entry.share and entry.written]
        self._integers += sum(entry.written for entry in stored)
        for entry in stored if self._integers > _COUNTERS else ():
            self.storages.mark(entry.storage, entry.itemsize)
        self.note_reads((entry.storage, entry.numbers()[0]) for entry in entries if entry.read)

    def note_reads(self, reads: Iterable[tuple[int, int]]) -> None:
        """Count the reads of one operation as late, from the first one that reads the last argument on.

        reads: (storage, numbers). In a gradient the last argument is dy: late reads are those of backward.
        """
        reads = list(reads)
        self._late_by_now |= any(storage == self.last_argument for storage, _ in reads)
        if self._late_by_now:
            for storage, numbers in reads:
                self.late[storage] += numbers

    def operation(self, name: str, reads, writes) -> None:
        """Count one PyTorch operation. reads, writes: (elements, itemsize, share, storage) of each tensor."""
        for elements, *of in reads:
            self.entries.append(Entry(name, "input", elements, 0, *of))
        for elements, *of in writes:
            self.entries.append(Entry(name, "output", 0, elements, *of))

    def _settle(self) -> None:
        """Count what was moved as integers where the same memory has been seen to hold numbers since."""
        for entry in self.entries:
            entry.share = entry.share or self.storages.share(entry.storage, entry.itemsize, False)

    def totals(self) -> tuple[int, int]:
        """(elements read, elements written) of floating-point tensors, the unit of the budgets."""
        self._settle()
        return sum(e.numbers()[0] for e in self.entries), sum(e.numbers()[1] for e in self.entries)

    def bytes(self) -> tuple[int, int]:
        """(bytes read, bytes written), index tensors included."""
        return (
            sum(e.read * e.itemsize for e in self.entries),
            sum(e.written * e.itemsize for e in self.entries),
        )

    def moves(self) -> list[tuple[str, str, int, int]]:
        """(operation, tensor, elements read, elements written) of each floating-point tensor, in order.

        A tensor that an operator made has the operator's name; one that a kernel wrote, that of the kernel's parameter;
        one that nothing wrote before is "input".
        """
        self._settle()
        names, found = {}, []
        kernels = {launch.kernel for launch in self.launches}
        for entry in self.entries:
            if not entry.share:
                continue
            before = names.get(entry.storage, "input")
            if entry.written:
                names[entry.storage] = entry.tensor if entry.operation in kernels else entry.operation
            read, written = entry.numbers()
            found += [(entry.operation, before, read, 0)] * (read > 0)
            found += [(entry.operation, names.get(entry.storage, ""), 0, written)] * (written > 0)
        return found

    def rows(self) -> list[tuple[str, int, int]]:
        """(operation, elements read, elements written) of floating-point tensors, one row an operation, in order."""
        self._settle()
        rows: list[list] = []
        previous = None
        for entry in self.entries:
            if not entry.share:
                continue
            if not rows or entry.operation != previous:
                rows.append([entry.operation, 0, 0])
            read, written = entry.numbers()
            rows[-1][1] += read
            rows[-1][2] += written
            previous = entry.operation
        return [tuple(row) for row in rows]
