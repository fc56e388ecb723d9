"""Requests to memory as text and as a picture: the sectors that a warp's load or store touches. For trace."""

from __future__ import annotations

from ..sentence import counted, fault, joined, kind_of, said
from ..spec import MemoryRequests, called
from ..spec.requests import SECTOR, WARP
from .canvas import EMPTY, IDLE, READ, WIDTH, Canvas

_LINE = 4 * SECTOR  # bytes in a row of the picture: a line of the cache
_MOST_ROWS = 8  # of one request; 32 would be the most
_MOST_DRAWN = 6  # requests
_LEFT, _RIGHT, _CELL, _HEAD = 0.78, 0.08, 0.21, 0.46  # inches

_WHAT = fault(
    "whole",
    "A request is a load or store of {WARP} neighbouring lanes, by one warp. A sector is {SECTOR} bytes of memory.",
    WARP=WARP,
    SECTOR=SECTOR,
)


def describe(requests: list[MemoryRequests], stopped: str | None) -> list[str]:
    """The lines of the table. stopped: sentence about the access that the guard stopped, or None."""
    lines, launch = [_WHAT] if requests else [], 0
    for entry in requests:
        if entry.launch != launch:
            launch = entry.launch
            lines.append(entry.kernel)
        lines.append(
            said(
                "  {verb} {tensor}: {count}, {count2}: {short} a request; {needed}",
                verb=_verb(entry),
                tensor=entry.tensor,
                count=counted(entry.requests, "request"),
                count2=counted(entry.sectors, "sector"),
                short=_short(entry.sectors / entry.requests),
                needed=_needed(entry),
            )
        )
    if stopped:
        lines.append(fault(kind_of(stopped), "stopped before it happened: {stopped}", stopped=stopped))
    elif not requests:
        lines.append(said("no kernel touched any memory"))
    return lines


def words(requests: list[MemoryRequests]) -> list[str]:
    """A sentence for each request that is drawn."""
    return [said("{one}.", one=joined("{one}: {two}", [_title(e), _sectors_of(e)])) for e in requests[:_MOST_DRAWN]]


def figure(requests: list[MemoryRequests]):
    """A matplotlib figure: of each load and store the request with the most sectors, in lines of four sectors."""
    drawn = requests[:_MOST_DRAWN]
    rows = [_rows(entry) for entry in drawn]
    canvas = Canvas(sum(_HEAD + _CELL * len(shown) + 0.12 for shown in rows) + 0.3)
    top = 0.0
    for entry, shown in zip(drawn, rows):
        top = _draw(canvas, entry, shown, top)
    _legend(canvas, top + 0.08)
    return canvas.figure


def _draw(canvas: Canvas, entry: MemoryRequests, rows: list[int], top: float) -> float:
    """Draw one request below `top`. Returns its own end."""
    total = len(_lines(entry))
    title = _title(entry)
    if total > len(rows):
        title = said(
            "{title} (drawn: {count} of {total} lines of {LINE} bytes)",
            title=title,
            count=len(rows),
            total=total,
            LINE=_LINE,
        )
    canvas.text(0.05, top + 0.14, title, size=10)
    lanes = {place: lane for lane, place in reversed(entry.shown)}
    touched = {place // SECTOR for place in lanes}
    cells = _LINE // entry.itemsize
    wide = (WIDTH - _LEFT - _RIGHT - 0.18) / cells
    canvas.text(_LEFT - 0.06, top + 0.34, said("byte"), size=8.5, ha="right")
    for sector in range(_LINE // SECTOR):
        x = _LEFT + sector * (SECTOR // entry.itemsize * wide + 0.06)
        canvas.text(x + SECTOR // entry.itemsize * wide / 2, top + 0.34, f"+{sector * SECTOR}", size=8.5, ha="center")
    top += _HEAD
    for line in rows:
        canvas.text(_LEFT - 0.06, top + _CELL / 2, f"{line * _LINE:,}", size=8.5, ha="right")
        for cell in range(cells):
            place = line * _LINE + cell * entry.itemsize
            x = _LEFT + cell * wide + place % _LINE // SECTOR * 0.06
            if place in lanes:
                size = 8 if cells <= 32 else 5
                canvas.box(x, top + 0.02, wide, _CELL - 0.04, str(lanes[place]), size, **READ)
            elif place // SECTOR in touched:
                canvas.box(x, top + 0.02, wide, _CELL - 0.04, **IDLE)
        _outlines(canvas, line, touched, top, wide * SECTOR / entry.itemsize)
        top += _CELL
    return top + 0.12


def _outlines(canvas: Canvas, line: int, touched: set[int], top: float, wide: float) -> None:
    """The frames of a line's four sectors: a thick one where the sector moves."""
    for sector in range(_LINE // SECTOR):
        moves = line * (_LINE // SECTOR) + sector in touched
        style = EMPTY | ({"edgecolor": "black", "linewidth": 1.6} if moves else {})
        canvas.box(_LEFT + sector * (wide + 0.06), top + 0.02, wide, _CELL - 0.04, **style)


def _legend(canvas: Canvas, y: float) -> None:
    for x, style, text in (
        (0.05, READ, said("asked for by that lane")),
        (1.85, IDLE, said("moved with it")),
        (3.15, EMPTY, said("a sector that does not move")),
    ):
        canvas.box(x, y, 0.2, 0.15, "3" if style is READ else "", 8, **style)
        canvas.text(x + 0.27, y + 0.075, text, size=8.5)


def _title(entry: MemoryRequests) -> str:
    lanes = sorted(lane for lane, _ in entry.shown)
    which = (
        said("lane {lanes}", lanes=lanes[0])
        if len(lanes) == 1
        else said("lanes {lanes} to {lanes2}", lanes=lanes[0], lanes2=lanes[-1])
    )
    return said(
        "{verb} {tensor}, program {program}, {which}: {count}",
        verb=_verb(entry),
        tensor=entry.tensor,
        program=_program(entry),
        which=which,
        count=counted(_touched(entry), "sector"),
    )


def _program(entry: MemoryRequests) -> str:
    from numpy import unravel_index

    return called([int(i) for i in unravel_index(entry.program, entry.grid)], entry.grid)


def _sectors_of(entry: MemoryRequests) -> str:
    runs: list[list[int]] = []
    for sector in sorted({place // SECTOR for _, place in entry.shown}):
        if runs and sector == runs[-1][1] + 1:
            runs[-1][1] = sector
        else:
            runs.append([sector, sector])
    parts = [
        said("bytes {value} to {value2}", value=f"{first * SECTOR:,}", value2=f"{last * SECTOR + SECTOR - 1:,}")
        for first, last in runs[:4]
    ]
    named = joined("{one}, {two}", parts)
    return said("{named}, and {value} places more", named=named, value=len(runs) - 4) if len(runs) > 4 else named


def _touched(entry: MemoryRequests) -> int:
    return len({place // SECTOR for _, place in entry.shown})


def _lines(entry: MemoryRequests) -> list[int]:
    return sorted({place // _LINE for _, place in entry.shown})


def _rows(entry: MemoryRequests) -> list[int]:
    return _lines(entry)[:_MOST_ROWS]


def _needed(entry: MemoryRequests) -> str:
    if entry.sectors == entry.least:
        return said("the fewest possible")
    return said("{short} would be enough", short=_short(entry.least / entry.requests))


def _verb(entry: MemoryRequests) -> str:
    return said("stores to") if entry.op == "store" else said("loads from")


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
