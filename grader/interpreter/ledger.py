"""What an answer moved: elements and bytes, by tensor and by operation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Entry:
    """Traffic of one operation on one tensor. `read` and `written` count elements."""

    operation: str
    tensor: str
    read: int = 0
    written: int = 0
    itemsize: int = 4
    floating: bool = True


@dataclass
class Launch:
    """One kernel launch: enough to say how it was started, and to compile it elsewhere."""

    kernel: str
    grid: tuple[int, ...]
    options: dict
    constants: dict
    signature: dict
    # For each tensor, by element: how often it was stored, and by which program last (-1: by none).
    stores: dict[str, np.ndarray] = field(default_factory=dict)
    owners: dict[str, np.ndarray] = field(default_factory=dict)
    times: dict[str, np.ndarray] = field(default_factory=dict)  # of the last store
    atomics: dict[int, int] = field(default_factory=dict)  # time of each program's last one
    clock: int = 0
    early: int = 0  # loads of what another program stored after its last atomic, so that nothing says that it is there
    shared: int = 0  # stores to an element that another program had stored before; atomics may do that
    widest: int = 0  # active lanes of its widest access
    storing: set[int] = field(default_factory=set)  # programs that stored anything

    def unannounced(self, tensor: str, elements, program) -> int:
        """How many of the elements another program stored after its last atomic."""
        if tensor not in self.owners:
            return 0
        owners, times = self.owners[tensor][elements], self.times[tensor][elements]
        theirs = (owners >= 0) & (owners != program)
        return sum(
            time > self.atomics.get(owner, -1) for owner, time in zip(*(a[theirs].tolist() for a in (owners, times)))
        )

    def store(self, region, elements, program, time, once: bool, atomic: bool = False) -> None:
        """Stores to elements of a tensor. Program and time: one for all, or one for each. once: no element twice."""
        name = region.name
        if name not in self.stores:
            self.stores[name] = np.zeros(region.numel, np.int64)
            self.owners[name] = np.full(region.numel, -1, np.int64)
            self.times[name] = np.zeros(region.numel, np.int64)
        if once:
            self.stores[name][elements] += 1
        else:
            np.add.at(self.stores[name], elements, 1)
        if not atomic:
            before = self.owners[name][elements]
            self.shared += int(((before >= 0) & (before != program)).sum())
        self.owners[name][elements], self.times[name][elements] = program, time


class Ledger:
    """Counts every access while a recording is on. Elements are counted once per instruction, masked lanes never."""

    def __init__(self):
        self.entries: list[Entry] = []
        self.launches: list[Launch] = []
        self.language: list[str] = []  # functions of triton.language's own library that kernels called
        self._open: dict[tuple, Entry] = {}

    def begin_launch(self, launch: Launch) -> None:
        """The accesses that follow belong to this launch."""
        self.launches.append(launch)
        self._open = {}

    def access(self, op: str, region, elements: np.ndarray, program: int, atomic: bool = False) -> None:
        """One load or store of a launch: the active lanes' elements in row-major order."""
        launch = self.launches[-1]
        launch.widest = max(launch.widest, elements.size)
        launch.clock += 1
        entry = self.entry(region)
        # Lanes that share an address share one transfer.
        steps = np.diff(elements.reshape(-1))
        once = bool((steps > 0).all())
        count = elements.size if once else np.unique(elements).size
        if op == "load":
            entry.read += count
            launch.early += launch.unannounced(region.name, elements.reshape(-1), program)
        else:
            entry.written += count
            launch.storing.add(program)
            if atomic:
                launch.atomics[program] = launch.clock
            launch.store(region, elements, program, launch.clock, once, atomic)

    def entry(self, region) -> Entry:
        """Where the open launch's traffic on a tensor is added up."""
        key = (region.index, region.name)
        if key not in self._open:
            kernel = self.launches[-1].kernel
            self._open[key] = Entry(kernel, region.name, itemsize=region.itemsize, floating=region.floating)
            self.entries.append(self._open[key])
        return self._open[key]

    def operation(self, name: str, reads, writes) -> None:
        """One PyTorch operation. reads, writes: (elements, itemsize, floating) of each tensor."""
        for elements, itemsize, floating in reads:
            self.entries.append(Entry(name, "input", read=elements, itemsize=itemsize, floating=floating))
        for elements, itemsize, floating in writes:
            self.entries.append(Entry(name, "output", written=elements, itemsize=itemsize, floating=floating))

    def totals(self) -> tuple[int, int]:
        """(elements read, elements written) of floating-point tensors: what budgets are stated in."""
        floats = [e for e in self.entries if e.floating]
        return sum(e.read for e in floats), sum(e.written for e in floats)

    def bytes(self) -> tuple[int, int]:
        """(bytes read, bytes written), index tensors included."""
        return (
            sum(e.read * e.itemsize for e in self.entries),
            sum(e.written * e.itemsize for e in self.entries),
        )

    def rows(self) -> list[tuple[str, int, int]]:
        """(operation, elements read, elements written), one row an operation in the order they ran."""
        rows: list[list] = []
        previous = None
        for entry in self.entries:
            if not entry.floating:
                continue
            if not rows or entry.operation != previous:
                rows.append([entry.operation, 0, 0])
            rows[-1][1] += entry.read
            rows[-1][2] += entry.written
            previous = entry.operation
        return [tuple(row) for row in rows]
