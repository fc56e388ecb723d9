"""The drawing of a trace: elements as cells with the numbers of their programs, and the programs in time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ..sentence import joined, said
from ..spec import Panel
from . import trace_time
from .drawing import cell, chip, escaped, frames, label, legend, table
from .trace_text import ORDERS, in_words, pieces, programs, title, told, too_early
from .trace_time import Access

_ROWS, _COLUMNS, _BEFORE, _PANELS = 16, 32, 4, 6  # limits of the drawing; _BEFORE: columns left of column 0
_FRAMES, _MOST_CELLS = 12, 1500  # turns of programs that have a frame; cells of all frames, after the first
_TURNS, _ACCESSES = 8, 6  # drawn in time: turns of a launch, accesses of a turn
_CHIPS = 2  # programs with masked lanes that are named in one cell
_LEGEND = {
    "load": ("0", said("loaded by the program of that number")),
    "store": ("0", said("stored by the program of that number")),
    "shared": ("0 → 2", said("touched more than once: the first and the last of the programs (the text has all)")),
    "early": ("◆ 0", said("read before the write: another program stores this element later")),
    "masked": ("0", said("masked lane of the program of that number: touches nothing")),
    "outside": ("✕ 0", said("outside of the tensor: stopped before it happened")),
    "empty": ("&emsp;", said("element that no program touched")),
}


@dataclass
class Place:
    """One cell. touched, outside: programs, in the order of their accesses. masked: lanes of each program."""

    touched: list[int] = field(default_factory=list)
    outside: list[int] = field(default_factory=list)
    masked: Counter = field(default_factory=Counter)
    exists: bool = False
    early: bool = False

    def looks(self, op: str) -> set[str]:
        """The looks in this cell, as the legend names them."""
        own = "early" if self.early else "shared" if len(self.touched) > 1 else op
        kinds = {own: self.touched, "outside": self.outside, "masked": self.masked}
        return {kind for kind, found in kinds.items() if found} or ({"empty"} if self.exists else set())


class Cells:
    """The cells of a panel. A vector is broken into lines of the width of its accesses."""

    def __init__(self, panel: Panel):
        self.panel = panel
        self.line = min(_COLUMNS, panel.lanes if panel.lanes > 1 else panel.shape[-1]) or 1
        everything = {(0, 0), *self.places(trace_time.accesses(panel))}
        self.first = min(column for _, column in everything)
        self.last = max(column for _, column in everything)
        self.rows = 1 + max(row for row, _ in everything)

    def places(self, accesses: list[Access]) -> dict[tuple[int, int], Place]:
        """The cells by (row, column), after these accesses of the panel."""
        real_rows = 1 if self.panel.vector else min(self.panel.shape[0], _ROWS)
        found = {at: Place(exists=True) for row in range(real_rows) for at in self._each(row, 0, self.panel.shape[-1])}
        for row, first, count, who in pieces([run for access in accesses for run in access.touched]):
            for at in self._each(row, first, count):
                found[at].touched = who
        for access in accesses:
            for program, *run in access.masked:
                for at in self._each(*run):
                    found.setdefault(at, Place()).masked[program] += 1
            for program, *run in access.outside:
                for at in self._each(*run):
                    found.setdefault(at, Place()).outside.append(program)
            for _, *run in (run for each in access.early for run in each.runs):
                for at in self._each(*run):
                    found[at].early = True
        return found

    def _each(self, row: int, first: int, count: int):
        """Yield the cells of a run that are inside the drawing."""
        limit = _ROWS * self.line if self.panel.vector else _COLUMNS
        for column in range(max(first, -_BEFORE), min(first + count, limit)):
            if self.panel.vector and column >= 0:
                yield divmod(column, self.line)
            elif 0 <= row < _ROWS:
                yield row, column

    def heading(self, kernel: bool) -> str:
        """The title of the panel, and the part of it that is drawn."""
        panel = self.panel
        text = joined("{one}: {two}", [panel.kernel, title(panel)]) if kernel else title(panel)
        if panel.vector and panel.shape[0] > _ROWS * self.line:
            return said("{text} (drawn: the first {value})", text=text, value=_ROWS * self.line)
        if not panel.vector and (panel.shape[0] > _ROWS or panel.shape[1] > _COLUMNS):
            rows, columns = min(panel.shape[0], _ROWS), min(panel.shape[1], _COLUMNS)
            return said("{text} (drawn: {rows} rows × {columns} columns)", text=text, rows=rows, columns=columns)
        return text

    def html(self, accesses: list[Access], now: list[Access], kernel: bool) -> str:
        """The cells after some accesses of the panel as a table. now: those of them to outline."""
        places, latest = self.places(accesses), {at for at, each in self.places(now).items() if _told(each)}
        columns = range(self.first, self.last + 1)
        rows = []
        for row in range(self.rows):
            drawn = (self._cell(places.get((row, column), Place()), (row, column) in latest) for column in columns)
            rows.append(label(self._row_name(row), scope="row") + "".join(drawn))
        parts = {name: [run for access in accesses for run in getattr(access, name)] for name in _PARTS}
        return table(self.heading(kernel), self._head(columns), rows, in_words(replace(self.panel, **parts)))

    def count(self) -> int:
        """How many cells are drawn."""
        return self.rows * (self.last - self.first + 1)

    def _row_name(self, row: int) -> str:
        if self.panel.vector:
            return str(row * self.line) if self.rows > 1 else ""
        return str(row)

    def _head(self, columns: range) -> list[str]:
        """The rows above the cells: regions, where there are several, and the numbers of the columns."""
        corner = said("row") if not self.panel.vector else said("element") if self.rows > 1 else ""
        shown = [str(column) if len(columns) <= 16 or column % 5 == 0 else "" for column in columns]
        numbers = label(corner) + "".join(map(label, shown))
        end = self.panel.shape[-1] if self.rows == 1 or not self.panel.vector else columns.stop
        regions = {said("before it"): range(columns.start, 0), said("the tensor"): range(0, min(end, columns.stop))}
        past = said("past its end") if self.panel.vector else said("past the row's end")
        regions |= {past: range(max(end, 0), columns.stop)}
        if sum(len(of) > 0 for of in regions.values()) == 1:
            return [numbers]
        return [label("") + "".join(label(name, span=len(of)) for name, of in regions.items() if of), numbers]

    def _cell(self, place: Place, now: bool) -> str:
        op, called = self.panel.op, self.panel.called
        words, look = [], "empty" if place.exists else "none"
        if place.touched:
            first, last = place.touched[0], place.touched[-1]
            look = "early" if place.early else op + (", odd" if first % 2 else "")
            words = [called(first)]
            if len(place.touched) > 1:
                look = look if place.early else f"{op}, shared"
                words = [f"{called(first)} ×{len(place.touched)}" if {*place.touched} == {first} else
                         f"{called(first)} → {called(last)}"]  # fmt: skip
            words = [("◆ " if place.early else "") + words[0]]
        if place.outside:
            look, words = "outside", ["✕ " + called(place.outside[0])]
        named = place.masked.most_common(_CHIPS)
        chips = [chip(called(program) + (f" ×{lanes}" if lanes > 1 else ""), "masked") for program, lanes in named]
        more = place.masked.total() - sum(lanes for _, lanes in named)
        chips += [f"+{more}"] if more else []
        return cell("<br>".join(part for part in (*words, " ".join(chips)) if part), look, now=now)


_PARTS = ("touched", "masked", "outside")


def _told(place: Place) -> bool:
    return bool(place.touched or place.masked or place.outside)


def page(panels: list[Panel], order: str, stopped: str | None) -> str:
    """The HTML: all elements, a frame for each turn of a program, the programs in time, and a legend."""
    launches = trace_time.launches(panels)
    cells = {id(panel): Cells(panel) for panel in panels[:_PANELS]}
    notes = [said("Stopped before it happened: {stopped}", stopped=stopped)] if stopped else []
    if len(panels) > _PANELS:
        notes.append(said("Drawn here: the first {PANELS} of {count} tables.", PANELS=_PANELS, count=len(panels)))
    below = "".join(f'<div style="margin:.4em 0">{escaped(note)}</div>' for note in notes)
    steps = frames(said("Step through the programs:"), _pages(launches, cells))
    return (
        f"<div>{steps}{below}{''.join(_in_time(launch, order) for launch in launches)}{_legend(launches, cells)}</div>"
    )


def _pages(launches: list[list[Access]], cells: dict[int, Cells]) -> list[tuple[str, str]]:
    """The frames: all programs, then what each had done after its turn."""
    several, turns = len(launches) > 1, []
    for launch in launches:
        ended = 0
        for turn in trace_time.turns(launch):
            ended += len(turn)
            turns.append((launch[:ended], turn))
    everything = [access for launch in launches for access in launch]
    pages = [(said("all programs"), _tables(everything, [], cells, several))]
    room = min(_FRAMES, _MOST_CELLS // max(sum(each.count() for each in cells.values()), 1))
    for number, (done, turn) in enumerate(turns[:room] if min(len(turns), room) > 1 else [], 1):
        first = turn[0]
        name = said("{number}: program {called}", number=number, called=first.panel.called(first.program))
        pages.append(
            (
                said("{name} of launch {launch}", name=name, launch=first.panel.launch) if several else name,
                _tables(done, turn, cells, several),
            )
        )
    return pages


def _tables(done: list[Access], now: list[Access], cells: dict[int, Cells], kernel: bool) -> str:
    """The tables of the panels that are touched now, or of all where nothing is; with all that was done before."""
    touched = {id(access.panel): None for access in now or done}
    return "".join(
        cells[key].html(*([a for a in some if id(a.panel) == key] for some in (done, now)), kernel)
        for key in ([key for key in cells if key in touched])
    )


def _in_time(launch: list[Access], order: str) -> str:
    """The turns of a launch below each other, each in the column of its program."""
    turns = trace_time.turns(launch)
    if len(turns) < 2:
        return ""
    panel, drawn = launch[0].panel, turns[:_TURNS]
    columns = sorted({turn[0].program for turn in drawn})
    rows = []
    for turn in drawn:
        first, last = turn[0].step, turn[-1].step
        boxes = "".join(map(_box, turn[:_ACCESSES]))
        more = escaped(said("and {value} more", value=len(turn) - _ACCESSES))
        boxes += f"<div>{more}</div>" if len(turn) > _ACCESSES else ""
        cells = (cell(boxes if column == turn[0].program else "", "none") for column in columns)
        rows.append(
            label(said("{first} to {last}", first=first, last=last) if last > first else f"{first}", scope="row")
            + "".join(cells)
        )
    head = [
        label(said("step"))
        + "".join(label(said("program {called}", called=panel.called(column))) for column in columns)
    ]
    cut = (
        said("; drawn: the first {TURNS} of {count} turns", TURNS=_TURNS, count=len(turns))
        if len(turns) > _TURNS
        else ""
    )
    how = ORDERS.get(order, "")
    return table(
        said(
            "{kernel} in time, downwards: {programs}{how}{cut}",
            kernel=panel.kernel,
            programs=programs(panel),
            how=how,
            cut=cut,
        ),
        head,
        rows,
    )


def _box(access: Access) -> str:
    words = f"<b>{access.step}</b> {escaped(told(access))}"
    look = access.panel.op + (", odd" if access.program % 2 else "")
    if access.early:
        early = escaped(said("◆ read before the write: {too_early}", too_early=too_early(access)))
        look, words = "early", f"{words}<br>{early}"
    box = chip(words, "outside" if access.outside else look, "19em")
    return f'<div style="margin:1px 0;text-align:left;min-width:9.5em">{box}</div>'


def _legend(launches: list[list[Access]], cells: dict[int, Cells]) -> str:
    used: dict[str, str] = {}  # by kind: the operation of a panel that has such cells
    for launch in launches:
        for panel in {id(access.panel): access.panel for access in launch}.values():
            if id(panel) in cells:
                places = cells[id(panel)].places([access for access in launch if access.panel is panel])
                used |= dict.fromkeys((kind for place in places.values() for kind in place.looks(panel.op)), panel.op)
    looks = {kind: f"{used[kind]}, shared" if kind == "shared" else kind for kind in _LEGEND if kind in used}
    return legend([(chip(_LEGEND[kind][0], look), _LEGEND[kind][1]) for kind, look in looks.items()])
