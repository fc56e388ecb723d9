"""The text of a trace: the accesses of each program to each tensor, and the places touched more than once."""

from __future__ import annotations

from collections import defaultdict

from ..spec import Panel
from ..spec.panel import Run
from . import trace_time
from .trace_time import Access

_MOST_PROGRAMS = 16  # lines of a table
_MOST_PLACES = 8  # named in a line; also lines about places that were touched more than once, or too early
_MOST_STORES = 4  # named in a line about a load that came before them
_MOST_STEPS = 24  # of a launch, told one by one


def describe(panels: list[Panel], order: str = "forward", stopped: str | None = None) -> list[str]:
    """The lines of the table. A tensor with the same accesses as the one above it gets one line instead.

    stopped: sentence about the access that the guard stopped, or None.
    """
    lines, launch, above = [], 0, []
    early = [access for accesses in trace_time.launches(panels) for access in accesses if access.early]
    for panel in panels:
        if panel.launch != launch:
            launch, above = panel.launch, []
            lines.append(f"{panel.kernel}, {programs(panel)}{'' if order == 'forward' else f', in {order} order'}")
        table = _table(panel)
        lines.append(title(panel))
        lines += table if table != above else ["  the same elements by the same programs"]
        lines += _shared(panel)
        lines += _early([access for access in early if access.panel is panel])
        above = table
        if not panel.complete:
            lines.append("  (there was more than is kept here)")
    if stopped:
        lines.append(f"stopped before it happened: {stopped}")
    elif not panels:
        lines.append("no kernel touched any memory")
    return lines


def in_time(panels: list[Panel]) -> list[str]:
    """A line for each access of each launch, in the order in which they happened."""
    lines = []
    for accesses in trace_time.launches(panels):
        for access in accesses[:_MOST_STEPS]:
            lines.append(f"step {access.step}, program {access.panel.called(access.program)}: {told(access)}")
        if len(accesses) > _MOST_STEPS:
            lines.append(f"and {_count(len(accesses) - _MOST_STEPS, 'step')} more")
    return lines


def told(access: Access) -> str:
    """An access in words, such as "loads x_ptr, elements 0-3; 1 lane masked"."""
    panel = access.panel
    return f"{panel.op}s {panel.tensor}, {_touched(panel, access.touched, access.masked, access.outside)}"


def too_early(access: Access) -> str:
    """The elements that others store later than this access loads them: "element 0; stored by program 1 at step 5"."""
    panel, early = access.panel, access.early
    runs = [(access.program, *run[1:]) for each in early for run in each.runs]
    stores = [f"program {panel.called(each.program)} at step {each.step}" for each in early[:_MOST_STORES]]
    if len(early) > _MOST_STORES:
        stores.append(f"and {_count(len(early) - _MOST_STORES, 'store')} more")
    return f"{where(panel, runs)}; stored by {', '.join(stores)}"


def _early(accesses: list[Access]) -> list[str]:
    """Lines about the loads of one panel that came before another program's store."""
    lines = [
        f"  read before the write, by program {access.panel.called(access.program)} at step {access.step}: "
        f"{too_early(access)}"
        for access in accesses[:_MOST_PLACES]
    ]
    if len(accesses) > _MOST_PLACES:
        lines.append(f"  and {_count(len(accesses) - _MOST_PLACES, 'load')} more before the write")
    return lines


def in_words(panel: Panel) -> str:
    """A panel in one line."""
    return "; ".join(line.strip() for line in [title(panel), *_table(panel), *_shared(panel)])


def title(panel: Panel) -> str:
    """The title of a panel, such as "loads from x_ptr, a tensor of 3 × 5"."""
    size = _count(panel.shape[0], "element") if panel.vector else " × ".join(map(str, panel.shape))
    return f"{'stores to' if panel.op == 'store' else 'loads from'} {panel.tensor}, a tensor of {size}"


def programs(panel: Panel) -> str:
    """The programs of a launch, such as "6 programs in a grid of 2 × 3"."""
    grid = [n for n in panel.grid]
    while len(grid) > 1 and grid[-1] == 1:
        grid.pop()
    count = 1
    for n in grid:
        count *= n
    if len(grid) == 1:
        return _count(count, "program")
    return f"{count} programs in a grid of {' × '.join(map(str, grid))}"


def _table(panel: Panel) -> list[str]:
    """One line for each program: the elements that it touched, and the number of its masked lanes."""
    by_program = defaultdict(lambda: ([], [], []))
    for kind, runs in enumerate((panel.touched, panel.masked, panel.outside)):
        for run in runs:
            by_program[run[0]][kind].append(run)
    lines = []
    for program in sorted(by_program)[:_MOST_PROGRAMS]:
        lines.append(f"  program {panel.called(program):<3} {_touched(panel, *by_program[program])}")
    if len(by_program) > _MOST_PROGRAMS:
        lines.append(f"  and {_count(len(by_program) - _MOST_PROGRAMS, 'program')} more")
    return lines


def _touched(panel: Panel, touched: list[Run], masked: list[Run], outside: list[Run]) -> str:
    parts = [where(panel, touched) if touched else "nothing"]
    if masked:
        parts.append(f"{_count(sum(run[3] for run in masked), 'lane')} masked")
    if outside:
        parts.append(f"out of bounds: {where(panel, outside)}")
    return "; ".join(parts)


def _shared(panel: Panel) -> list[str]:
    """Lines about the places that were touched more than once, with their programs."""
    groups: dict[tuple[int, ...], list] = {}
    for row, first, count, programs in pieces(panel.touched):
        if len(programs) > 1:
            groups.setdefault(tuple(programs), []).append([0, row, first, count])
    lines = []
    for programs, runs in list(groups.items())[:_MOST_PLACES]:
        times = "twice" if len(programs) == 2 else f"{len(programs)} times"
        who = ", then ".join(map(panel.called, programs[:_MOST_PLACES])) + (
            ", ..." if len(programs) > _MOST_PLACES else ""
        )
        lines.append(f"  touched {times}: {where(panel, runs)}, by program {who}")
    if len(groups) > _MOST_PLACES:
        lines.append(f"  and {_count(len(groups) - _MOST_PLACES, 'place')} more touched more than once")
    return lines


def where(panel: Panel, runs: list) -> str:
    """Runs of a panel as text, such as "rows 0-3, columns 0-4"."""
    merged: list[list[int]] = []  # first row, last row, first column, columns
    for row, first, count, _ in pieces(runs):
        same = next((m for m in merged[-1:] if m[1] == row - 1 and m[2:] == [first, count]), None)
        if same:
            same[1] = row
        else:
            merged.append([row, row, first, count])
    named = []
    for top, bottom, first, count in merged[:_MOST_PLACES]:
        columns = _span("element" if panel.vector else "column", first, first + count - 1)
        named.append(columns if panel.vector else f"{_span('row', top, bottom)}, {columns}")
    if len(merged) > _MOST_PLACES:
        named.append(f"and {_count(len(merged) - _MOST_PLACES, 'run')} more")
    return "; ".join(named)


def _span(word: str, first: int, last: int) -> str:
    if first == last:
        return f"{word} {first}"
    return f"{word}s {first}{'-' if first >= 0 else ' to '}{last}"


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def pieces(runs: list[Run]) -> list[tuple[int, int, int, list[int]]]:
    """Non-overlapping pieces of runs: (row, first column, number of columns, programs that touched it).

    The programs are in the order of their accesses. A program with two accesses is listed twice.
    """
    rows = defaultdict(list)
    for order, (program, row, first, count) in enumerate(runs):
        rows[row].append((first, first + count, order, program))
    found: list[tuple[int, int, int, list[int]]] = []
    for row in sorted(rows):
        spans = sorted(rows[row], reverse=True)
        edges = sorted({edge for first, end, *_ in spans for edge in (first, end)})
        here: list[tuple[int, int, int]] = []  # order, program, end
        for edge, following in zip(edges, edges[1:]):
            here = [span for span in here if span[2] > edge]
            while spans and spans[-1][0] == edge:
                _, end, order, program = spans.pop()
                here.append((order, program, end))
            programs = [program for _, program, _ in sorted(here)]
            last = found[-1] if found else None
            if last and last[0] == row and last[1] + last[2] == edge and last[3] == programs:
                found[-1] = (row, last[1], following - last[1], programs)
            elif programs:
                found.append((row, edge, following - edge, programs))
    return found
