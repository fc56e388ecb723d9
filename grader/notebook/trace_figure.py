"""The picture of a trace: the elements of a tensor as cells, each with the number of the program that touched it."""

from __future__ import annotations

import textwrap

from ..spec import Panel
from .trace_text import pieces, title

_ROWS, _COLUMNS, _BEFORE, _PANELS = 16, 32, 4, 6  # limits of the drawing; _BEFORE: columns left of column 0
_WIDTH, _LEFT, _RIGHT = 6.4, 0.55, 0.1  # inches
_TALL, _FLAT, _WIDEST = 0.4, 0.24, 0.34  # inches, of a cell; tall ones hold two numbers
_HEAD, _GAP, _LINE = 0.5, 0.12, 0.18  # inches above a panel's cells, below them, and of a line of text
_TINTS = {"load": ("#e3edf7", "#b9d2ea"), "store": ("#fbf3d9", "#f0dc9a")}  # of even and odd programs
_KINDS = {
    "touched": "touched by the program of that number",
    "shared": "touched more than once: the first and the last of the programs (the text has all)",
    "masked": "masked lane: touches nothing",
    "outside": "outside of the tensor: stopped",
    "untouched": "not touched",
}


def figure(panels: list[Panel], stopped: str | None):
    """A matplotlib figure of the panels below each other, with a legend and the sentence about a stopped access."""
    from matplotlib.figure import Figure
    from matplotlib.legend_handler import HandlerTuple

    drawn = [_Cells(panel) for panel in panels[:_PANELS]]
    kinds = [kind for kind in _KINDS if any(cells.places[kind] for cells in drawn)]
    notes = textwrap.wrap(f"Stopped before it happened: {stopped}", 92) if stopped else []
    if len(panels) > _PANELS:
        notes.append(f"Drawn here: the first {_PANELS} of {len(panels)} tables.")
    foot = _LINE * (len(notes) + len(kinds)) + 0.3
    height = foot + sum(cells.height for cells in drawn)
    made = Figure(figsize=(_WIDTH, height), dpi=110, facecolor="white")
    several = len({panel.launch for panel in panels}) > 1
    top = height
    for cells in drawn:
        wide, tall = cells.columns * cells.wide, cells.rows * cells.tall
        top -= cells.height
        axes = made.add_axes((_LEFT / _WIDTH, (top + _GAP) / height, wide / _WIDTH, tall / height))
        _draw(axes, cells, several)
    if notes:
        made.text(0.02, (foot - 0.1) / height, "\n".join(notes), fontsize=9, va="top", linespacing=1.35)
    ops = sorted({cells.panel.op for cells in drawn})
    made.legend(handles=[_handle(kind, ops) for kind in kinds], labels=[_KINDS[kind] for kind in kinds], fontsize=9,
                handler_map={tuple: HandlerTuple(ndivide=None, pad=0)}, loc="lower left", frameon=False,
                handlelength=1.4, handleheight=1.2, labelspacing=0.35)  # fmt: skip
    return made


class _Cells:
    """The places of a panel's cells in the picture. A vector is broken into lines of the width of its accesses.

    places: {kind: cells as (row, column)}; for "touched" and "shared" a dictionary from the cell to its programs.
    """

    def __init__(self, panel: Panel):
        self.panel = panel
        self.line = min(_COLUMNS, panel.lanes if panel.lanes > 1 else panel.shape[-1]) or 1
        touched = {}
        for row, first, count, programs in pieces(panel.touched):
            touched |= dict.fromkeys(self._each(row, first, count), programs)
        lost = {at for _, *run in panel.outside for at in self._each(*run)} - touched.keys()
        idle = {at for _, *run in panel.masked for at in self._each(*run)} - touched.keys() - lost
        exists = {at for row in range(self._real_rows()) for at in self._each(row, 0, panel.shape[-1])}
        self.places = {
            "touched": {at: who for at, who in touched.items() if len(who) == 1},
            "shared": {at: who for at, who in touched.items() if len(who) > 1},
            "masked": idle,
            "outside": lost,
            "untouched": exists - touched.keys() - idle - lost,
        }
        everything = exists | touched.keys() | lost | idle | {(0, 0)}
        self.first = min(column for _, column in everything)
        self.columns = 1 + max(column for _, column in everything) - self.first
        self.rows = 1 + max(row for row, _ in everything)
        self.tall = _TALL if self.places["shared"] else _FLAT
        self.wide = min(_WIDEST, (_WIDTH - _LEFT - _RIGHT) / self.columns)
        self.height = _HEAD + self.rows * self.tall + _GAP

    def _real_rows(self) -> int:
        return 1 if self.panel.vector else min(self.panel.shape[0], _ROWS)

    def _each(self, row: int, first: int, count: int):
        """Yield the cells of a run that are inside the picture."""
        limit = _ROWS * self.line if self.panel.vector else _COLUMNS
        for column in range(max(first, -_BEFORE), min(first + count, limit)):
            if self.panel.vector and column >= 0:
                yield divmod(column, self.line)
            elif 0 <= row < _ROWS:
                yield row, column

    def heading(self, kernel: bool) -> str:
        """The title of the panel, and the part of it that is drawn."""
        panel = self.panel
        text = f"{panel.kernel}: {title(panel)}" if kernel else title(panel)
        if panel.vector and panel.shape[0] > _ROWS * self.line:
            return f"{text} (drawn: the first {_ROWS * self.line})"
        if not panel.vector and (panel.shape[0] > _ROWS or panel.shape[1] > _COLUMNS):
            rows, columns = min(panel.shape[0], _ROWS), min(panel.shape[1], _COLUMNS)
            return f"{text} (drawn: {rows} rows × {columns} columns)"
        return text


def _draw(axes, cells: _Cells, kernel: bool) -> None:
    """Draw one panel. Rows run downwards, as in a matrix. kernel: whether its title names the kernel."""
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.patches import Rectangle

    def boxes(places, inset=0.0, **style):
        side = 1 - 2 * inset
        squares = [Rectangle((column + inset, row + inset), side, side) for row, column in places]
        axes.add_collection(PatchCollection(squares, **style))

    places, tints = cells.places, _TINTS[cells.panel.op]
    boxes(places["untouched"], facecolor="none", edgecolor="#999999", linewidth=0.6)
    for odd in (0, 1):
        mine = [at for at, who in places["touched"].items() if who[0] % 2 == odd]
        boxes(mine, facecolor=tints[odd], edgecolor="black", linewidth=0.6)
    boxes(places["shared"], facecolor="white", edgecolor="#888888", hatch="/////", linewidth=0)
    boxes(places["shared"], facecolor="none", edgecolor="black", linewidth=1.2)
    boxes(places["masked"], 0.07, facecolor="none", edgecolor="#444444", linewidth=0.9, linestyle=(0, (2, 2)))
    boxes(places["outside"], facecolor="white", edgecolor="black", linewidth=2.2)
    crosses = [[(c, r + a), (c + 1, r + 1 - a)] for r, c in places["outside"] for a in (0, 1)]
    axes.add_collection(LineCollection(crosses, color="black", linewidth=1.4))
    for (row, column), who in places["touched"].items():
        name = cells.panel.called(who[0])
        axes.text(column + 0.5, row + 0.5, name, **_number(name))
    white = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    for (row, column), who in places["shared"].items():
        for height, program in ((0.28, who[0]), (0.73, who[-1])):
            name = cells.panel.called(program)
            axes.text(column + 0.5, row + height, name, bbox=white, **_number(name))
    axes.set_xlim(cells.first - 0.1, cells.first + cells.columns + 0.1)
    axes.set_ylim(cells.rows + 0.1, -0.1)
    _label(axes, cells, kernel)


def _number(name: str) -> dict:
    size = 9 if len(name) < 3 else 6.5 if len(name) < 7 else 5
    return {"ha": "center", "va": "center_baseline", "fontsize": size, "clip_on": True}


def _label(axes, cells: _Cells, kernel: bool) -> None:
    columns = range(0, max(cells.first + cells.columns, 1), 1 if cells.columns <= 10 else 5)
    per_line = cells.line if cells.panel.vector else 1
    axes.set_xticks([c + 0.5 for c in columns], columns, fontsize=9)
    axes.set_yticks([r + 0.5 for r in range(cells.rows)], [r * per_line for r in range(cells.rows)], fontsize=9)
    axes.tick_params(length=0, pad=2, top=True, labeltop=True, bottom=False, labelbottom=False)
    if cells.rows > 1:
        axes.set_ylabel("element" if cells.panel.vector else "row", fontsize=9, labelpad=3)
    axes.spines[:].set_visible(False)
    axes.set_title(cells.heading(kernel), fontsize=10.5, loc="left", pad=4)


def _handle(kind: str, ops: list[str]):
    """The sample in the legend for one kind of cell. ops: operations in the picture, for the colours."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    if kind == "outside":
        return Line2D([], [], marker="$\u2715$", markersize=8, linestyle="none", color="black")
    if kind == "touched":
        return tuple(Patch(facecolor=_TINTS[op][1], edgecolor="black") for op in ops)
    styles = {
        "shared": {"facecolor": "white", "edgecolor": "#555555", "hatch": "//////"},
        "masked": {"facecolor": "none", "edgecolor": "#555555", "linestyle": (0, (2, 2))},
        "untouched": {"facecolor": "none", "edgecolor": "#999999"},
    }
    return Patch(**styles[kind])
