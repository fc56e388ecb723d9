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

    def unannounced(self, tensor: str, elements: np.ndarray, program: int) -> int:
        """How many of the elements another program stored after its last atomic."""
        if tensor not in self.owners:
            return 0
        owners, times = self.owners[tensor][elements], self.times[tensor][elements]
        theirs = (owners >= 0) & (owners != program)
        return sum(
            time > self.atomics.get(owner, -1) for owner, time in zip(*(a[theirs].tolist() for a in (owners, times)))
        )


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
        key = (region.index, region.name)
        entry = self._open.get(key)
        if entry is None:
            entry = Entry(launch.kernel, region.name, itemsize=region.itemsize, floating=region.floating)
            self._open[key] = entry
            self.entries.append(entry)
        # Lanes that share an address share one transfer.
        steps = np.diff(elements.reshape(-1))
        count = elements.size if (steps > 0).all() else np.unique(elements).size
        if op == "load":
            entry.read += count
            launch.early += launch.unannounced(region.name, elements.reshape(-1), program)
        else:
            entry.written += count
            if region.name not in launch.stores:
                launch.stores[region.name] = np.zeros(region.numel, np.int64)
                launch.owners[region.name] = np.full(region.numel, -1, np.int64)
                launch.times[region.name] = np.zeros(region.numel, np.int64)
            np.add.at(launch.stores[region.name], elements, 1)
            launch.storing.add(program)
            owners = launch.owners[region.name]
            before = owners[elements]
            if atomic:
                launch.atomics[program] = launch.clock
            else:
                launch.shared += int(((before >= 0) & (before != program)).sum())
            owners[elements], launch.times[region.name][elements] = program, launch.clock

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
