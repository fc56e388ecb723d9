"""The recorder of a trace: it keeps which program touched which element, as runs of neighbouring elements."""

from __future__ import annotations

import numpy as np

from ..spec.panel import Panel, Run
from .address_space import WINDOW_BITS, Region

_MOST_RUNS = 5000  # of all panels together
_MOST_PANELS = 64

Line = tuple[Region, int, int, int]  # region, row, first column, active lanes


class Recorder:
    """The accesses of all launches of one recording, up to a limit. panels: one for each launch, tensor and operation.

    A panel beyond the limit has complete=False. in_atomic: whether the accesses now are those of an atomic operation.
    """

    in_atomic = False

    def __init__(self):
        self.panels: list[Panel] = []
        self._open: dict[tuple, Panel] = {}
        self._launch, self._kernel, self._grid = 0, "", [1]
        self._runs, self._step = 0, 0

    def begin_launch(self, kernel: str, grid) -> None:
        """Keep the accesses from now on for this launch. grid: programs along each axis."""
        self._launch, self._kernel, self._grid, self._open = self._launch + 1, kernel, list(grid), {}
        self._step = 0

    def access(self, op: str, addresses: np.ndarray, mask: np.ndarray, regions: list[Region], program: int) -> None:
        """Keep one load or store. The guard has not checked it yet, so it may be out of bounds.

        addresses: guarded, uint64. mask: bool, broadcasts to their shape. regions: all tensors of the launch.
        """
        mask = np.broadcast_to(mask, addresses.shape)
        self.keep(op, addresses, mask, lines(addresses[None], mask[None], regions)[0], regions, program)

    def keep(self, op: str, addresses: np.ndarray, mask: np.ndarray, line: Line | None, regions, program: int) -> None:
        """As `access`, for a mask of the shape of the addresses. line: of `lines`, for this program."""
        self._step += 1
        if line is not None:
            self._keep_line(op, *line, addresses.size, program)
            return
        addresses, mask = np.atleast_1d(addresses), np.atleast_1d(mask)
        axis = along_rows(addresses)
        addresses, mask = (np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis]) for a in (addresses, mask))
        owners = (addresses >> np.uint64(WINDOW_BITS)).astype(np.int64)
        for region in regions:
            mine = owners == region.index
            if mine.any():
                self._keep(op, region, addresses, mask, mine, program)

    def _keep_line(self, op: str, region: Region, row: int, first: int, count: int, lanes: int, program: int) -> None:
        panel = self._panel(op, region)
        if panel is not None:
            panel.lanes = max(panel.lanes, lanes)
            self._add(panel, panel.touched, [(program, row, first, count)])
            self._add(panel, panel.masked, [(program, row, first + count, lanes - count)] if count < lanes else [])
            self._end_step(panel)

    def _keep(self, op, region, addresses, mask, mine, program) -> None:
        panel = self._panel(op, region)
        if panel is None:
            return
        rows, columns, inside = _places(region, addresses, mask & mine)
        panel.lanes = max(panel.lanes, addresses.shape[1])
        outside = mask & ~inside & mine
        touched = mask & mine & (not outside.any())  # one lane outside: the guard stops the whole access
        for kept, chosen in ((panel.touched, touched), (panel.outside, outside), (panel.masked, ~mask & mine)):
            # As in the ledger, lanes with the same address touch it once. Masked lanes are counted one by one.
            runs = _runs(program, rows[chosen], columns[chosen], once=kept is panel.touched)
            self._add(panel, kept, runs)
        self._end_step(panel)

    def _end_step(self, panel: Panel) -> None:
        lengths = len(panel.touched), len(panel.masked), len(panel.outside)
        if lengths != (panel.steps[-1][1:] if panel.steps else (0, 0, 0)):  # it was kept
            panel.steps.append((self._step, *lengths))

    def _add(self, panel: Panel, kept: list[Run], runs: list[Run]) -> None:
        panel.complete &= self._runs + len(runs) <= _MOST_RUNS
        kept += runs[: _MOST_RUNS - self._runs]
        self._runs = min(self._runs + len(runs), _MOST_RUNS)

    def _panel(self, op: str, region: Region) -> Panel | None:
        key = (op, region.index)
        if key not in self._open and len(self.panels) == _MOST_PANELS:
            self.panels[-1].complete = False
        elif key not in self._open:
            columns = region.shape[-1] if region.shape else 1
            shape = [region.numel // max(columns, 1), columns] if len(region.shape) > 1 else [columns]
            panel = Panel(self._kernel, self._launch, self._grid, region.name, op, shape)
            self._open[key] = panel
            self.panels.append(panel)
        return self._open.get(key)


def lines(addresses: np.ndarray, mask: np.ndarray, regions: list[Region]) -> list[Line | None]:
    """The accesses of several programs that have the usual form; None for any other.

    The usual form is a run of neighbours in one row, with masked lanes at its end only. The result equals that of the
    general code, in a tenth of the time. addresses, mask: of shape (programs, lanes).
    """
    found: list[Line | None] = [None] * len(addresses)
    if addresses.ndim != 2 or addresses.size == 0:
        return found
    counts = mask.sum(axis=1)
    ends = np.stack([addresses[:, 0], addresses[np.arange(len(addresses)), np.maximum(counts - 1, 0)]], axis=1)
    first, last = (addresses[:, at] >> np.uint64(WINDOW_BITS) for at in (0, -1))
    usual = (counts > 0) & (first == last) & (mask == (np.arange(addresses.shape[1]) < counts[:, None])).all(axis=1)
    for region in regions:
        mine = np.flatnonzero(usual & (first == region.index))
        if not mine.size or region.strides[-1:] not in ((1,), ()):
            continue
        mine = mine[(np.diff(addresses[mine], axis=1) == region.itemsize).all(axis=1)]
        elements, inside = region.elements(ends[mine])
        rows, columns = np.divmod(elements, max(region.shape[-1], 1) if region.shape else 1)
        good = inside.all(axis=1) & (columns[:, 1] - columns[:, 0] == counts[mine] - 1)
        for at, row, column in zip(mine[good].tolist(), rows[good, 0].tolist(), columns[good, 0].tolist()):
            found[at] = region, row, column, int(counts[at])
    return found


def along_rows(addresses: np.ndarray) -> int:
    """The axis of a block along which its addresses lie closest together."""
    steps = {}
    for axis in range(addresses.ndim):
        if addresses.shape[axis] > 1:
            first, second = (int(np.take(addresses, i, axis).flat[0]) for i in (0, 1))
            steps[abs(second - first) or np.inf] = axis
    return steps[min(steps)] if steps else addresses.ndim - 1


def _places(region: Region, addresses: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(row, column, whether this element exists) of every lane. addresses, active: of shape (lines, lanes).

    A lane that is masked or outside is placed by its distance from the last valid lane before it in its line of the
    block. So it stays in the row of that lane, beyond the end of the row, even if the next row follows directly in
    memory.
    """
    elements, inside = region.elements(addresses)
    rows, columns = np.divmod(elements, max(region.shape[-1], 1) if region.shape else 1)
    offsets = (addresses.astype(np.int64) - region.base) // region.itemsize
    anchored = active & inside
    lanes = np.arange(addresses.shape[1])
    before = np.maximum.accumulate(np.where(anchored, lanes, -1), axis=1)
    anchor = np.where(before >= 0, before, anchored.argmax(axis=1)[:, None])
    for line in np.flatnonzero(~anchored.any(axis=1)):
        row, column = region.place(addresses[line, 0], None)
        rows[line, 0], columns[line, 0] = row or 0, column
    lines = np.arange(len(addresses))[:, None]
    step = max(region.strides[-1], 1) if region.strides else 1
    away = (offsets - offsets[lines, anchor]) // step
    return (
        np.where(anchored, rows, rows[lines, anchor]),
        np.where(anchored, columns, columns[lines, anchor] + away),
        inside,
    )


def _runs(program: int, rows: np.ndarray, columns: np.ndarray, once: bool) -> list[Run]:
    """The places of one access as runs of neighbours. once: keep one of several equal places."""
    if not rows.size:
        return []
    order = np.lexsort((columns, rows))
    rows, columns = rows[order], columns[order]
    if once:
        first = np.ones(rows.size, bool)
        first[1:] = (np.diff(rows) != 0) | (np.diff(columns) != 0)
        rows, columns = rows[first], columns[first]
    begins = np.flatnonzero(np.r_[True, (np.diff(rows) != 0) | (np.diff(columns) != 1)])
    counts = np.diff(np.r_[begins, rows.size])
    return [(program, int(rows[b]), int(columns[b]), int(c)) for b, c in zip(begins, counts)]
