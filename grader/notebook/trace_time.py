"""A trace in time: the accesses of a launch one after the other, and the loads that came before a store."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..spec.panel import Panel, Run


@dataclass
class Early:
    """Elements that an access loaded, and that another program stored later in the same launch.

    runs: the elements, with the storing program. step: that of the store.
    """

    runs: list[Run]
    program: int
    step: int


@dataclass
class Access:
    """One load or store of one program. step: its number in the launch, from 1."""

    step: int
    program: int
    panel: Panel
    touched: list[Run]
    masked: list[Run]
    outside: list[Run]
    early: list[Early] = field(default_factory=list)


def launches(panels: list[Panel]) -> list[list[Access]]:
    """The accesses of each launch, in the order in which they happened."""
    found = []
    for _, group in itertools.groupby(panels, key=lambda panel: panel.launch):
        group = list(group)
        made = sorted((access for panel in group for access in accesses(panel)), key=lambda access: access.step)
        _find_early(made)
        found.append(made)
    return found


def turns(launch: Iterable[Access]) -> list[list[Access]]:
    """The accesses of a launch, in groups: what one program did before the next one went on."""
    return [list(group) for _, group in itertools.groupby(launch, key=lambda access: access.program)]


def accesses(panel: Panel) -> list[Access]:
    """The accesses of one panel, in the order in which they happened."""
    found, before = [], (0, 0, 0)
    for step, *ends in panel.steps:
        kept = (panel.touched, panel.masked, panel.outside)
        parts = [runs[begin:end] for runs, begin, end in zip(kept, before, ends, strict=True)]
        before = tuple(ends)
        if any(parts):
            found.append(Access(step, next(part for part in parts if part)[0][0], panel, *parts))
    return found


def _find_early(launch: list[Access]) -> None:
    """Give each load the later stores of other programs to its elements."""
    stored: dict[str, list] = {}  # by tensor: (row, first, end, program, step)
    for access in launch:
        if access.panel.op == "store":
            runs = stored.setdefault(access.panel.tensor, [])
            runs += [(row, first, first + count, program, access.step) for program, row, first, count in access.touched]
    table = {tensor: np.array(runs) for tensor, runs in stored.items() if runs}
    for access in launch:
        if access.panel.op == "store" or access.panel.tensor not in table:
            continue
        stores, found = table[access.panel.tensor], {}
        for program, row, first, count in access.touched:
            later = (stores[:, 4] > access.step) & (stores[:, 3] != program) & (stores[:, 0] == row)
            meets = stores[later & (stores[:, 1] < first + count) & (stores[:, 2] > first)]
            for _, begin, end, writer, step in meets.tolist():
                begin, end = max(begin, first), min(end, first + count)
                found.setdefault((writer, step), []).append((writer, row, begin, end - begin))
        access.early = [Early(runs, *key) for key, runs in sorted(found.items(), key=lambda each: each[0][1])]
