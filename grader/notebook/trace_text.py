"""The text of a trace: the accesses of each program to each tensor, and the places touched more than once."""

from __future__ import annotations

from collections import defaultdict

from ..language import say
from ..sentence import Said, counted, fault, joined, kind_of, said
from ..spec import Panel
from ..spec.panel import Run
from . import trace_time
from .trace_time import Access

ORDERS = {"reversed": said(", in reversed order"), "shuffled": said(", in shuffled order")}
_SPANS = {
    "element": (said("element {first}"), said("elements {first}-{last}"), said("elements {first} to {last}")),
    "column": (said("column {first}"), said("columns {first}-{last}"), said("columns {first} to {last}")),
    "row": (said("row {first}"), said("rows {first}-{last}"), said("rows {first} to {last}")),
}
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
            what = joined("{one}, {two}", [panel.kernel, programs(panel)])
            lines.append(said("{what}{how}", what=what, how=ORDERS[order]) if order in ORDERS else what)
        table = _table(panel)
        lines.append(title(panel))
        lines += table if table != above else [said("  the same elements by the same programs")]
        lines += _shared(panel)
        lines += _early([access for access in early if access.panel is panel])
        above = table
        if not panel.complete:
            lines.append(said("  (there was more than is kept here)"))
    if stopped:
        lines.append(fault(kind_of(stopped), "stopped before it happened: {stopped}", stopped=stopped))
    elif not panels:
        lines.append(said("no kernel touched any memory"))
    return lines


def in_time(panels: list[Panel]) -> list[str]:
    """A line for each access of each launch, in the order in which they happened."""
    lines = []
    for accesses in trace_time.launches(panels):
        for access in accesses[:_MOST_STEPS]:
            lines.append(
                said(
                    "step {step}, program {called}: {told}",
                    step=access.step,
                    called=access.panel.called(access.program),
                    told=told(access),
                )
            )
        if len(accesses) > _MOST_STEPS:
            lines.append(said("and {count} more", count=counted(len(accesses) - _MOST_STEPS, "step")))
    return lines


def told(access: Access) -> str:
    """An access in words, such as "loads x_ptr, elements 0-3; 1 lane masked"."""
    panel = access.panel
    touched = _touched(panel, access.touched, access.masked, access.outside)
    if panel.op == "store":
        return said("stores {tensor}, {touched}", tensor=panel.tensor, touched=touched)
    return said("loads {tensor}, {touched}", tensor=panel.tensor, touched=touched)


def too_early(access: Access) -> str:
    """The elements that others store later than this access loads them: "element 0; stored by program 1 at step 5"."""
    panel, early = access.panel, access.early
    runs = [(access.program, *run[1:]) for each in early for run in each.runs]
    stores = [
        said("program {called} at step {step}", called=panel.called(each.program), step=each.step)
        for each in early[:_MOST_STORES]
    ]
    if len(early) > _MOST_STORES:
        stores.append(said("and {count} more", count=counted(len(early) - _MOST_STORES, "store")))
    return said("{where}; stored by {list}", where=where(panel, runs), list=joined("{one}, {two}", stores))


def _early(accesses: list[Access]) -> list[str]:
    """Lines about the loads of one panel that came before another program's store."""
    lines = [
        said(
            "  read before the write, by program {called} at step {step}: {too_early}",
            called=access.panel.called(access.program),
            step=access.step,
            too_early=too_early(access),
        )
        for access in accesses[:_MOST_PLACES]
    ]
    if len(accesses) > _MOST_PLACES:
        lines.append(said("  and {count} more before the write", count=counted(len(accesses) - _MOST_PLACES, "load")))
    return lines


def in_words(panel: Panel) -> str:
    """A panel in one line."""
    return joined("{one}; {two}", [say(line).strip() for line in [title(panel), *_table(panel), *_shared(panel)]])


def title(panel: Panel) -> str:
    """The title of a panel, such as "loads from x_ptr, a tensor of 3 × 5"."""
    size = counted(panel.shape[0], "element") if panel.vector else " × ".join(map(str, panel.shape))
    return (
        said("stores to {tensor}, a tensor of {size}", tensor=panel.tensor, size=size)
        if panel.op == "store"
        else said("loads from {tensor}, a tensor of {size}", tensor=panel.tensor, size=size)
    )


def programs(panel: Panel) -> str:
    """The programs of a launch, such as "6 programs in a grid of 2 × 3"."""
    grid = [n for n in panel.grid]
    while len(grid) > 1 and grid[-1] == 1:
        grid.pop()
    count = 1
    for n in grid:
        count *= n
    if len(grid) == 1:
        return counted(count, "program")
    return said("{count} programs in a grid of {list}", count=count, list=" × ".join(map(str, grid)))


def _table(panel: Panel) -> list[str]:
    """One line for each program: the elements that it touched, and the number of its masked lanes."""
    by_program = defaultdict(lambda: ([], [], []))
    for kind, runs in enumerate((panel.touched, panel.masked, panel.outside)):
        for run in runs:
            by_program[run[0]][kind].append(run)
    lines = []
    for program in sorted(by_program)[:_MOST_PROGRAMS]:
        lines.append(
            said(
                "  program {called} {touched}",
                called=f"{panel.called(program):<3}",
                touched=_touched(panel, *by_program[program]),
            )
        )
    if len(by_program) > _MOST_PROGRAMS:
        lines.append(said("  and {count} more", count=counted(len(by_program) - _MOST_PROGRAMS, "program")))
    return lines


def _touched(panel: Panel, touched: list[Run], masked: list[Run], outside: list[Run]) -> str:
    parts = [where(panel, touched) if touched else said("nothing")]
    if masked:
        parts.append(said("{count} masked", count=counted(sum(run[3] for run in masked), "lane")))
    if outside:
        parts.append(said("out of bounds: {where}", where=where(panel, outside)))
    return joined("{one}; {two}", parts)


def _shared(panel: Panel) -> list[str]:
    """Lines about the places that were touched more than once, with their programs."""
    groups: dict[tuple[int, ...], list] = {}
    for row, first, count, programs in pieces(panel.touched):
        if len(programs) > 1:
            groups.setdefault(tuple(programs), []).append([0, row, first, count])
    lines = []
    for programs, runs in list(groups.items())[:_MOST_PLACES]:
        times = said("twice") if len(programs) == 2 else said("{count} times", count=len(programs))
        named = [panel.called(program) for program in programs[:_MOST_PLACES]]
        who = joined("{one}, then {two}", named)
        who = said("{who}, ...", who=who) if len(programs) > _MOST_PLACES else who
        lines.append(
            said("  touched {times}: {where}, by program {who}", times=times, where=where(panel, runs), who=who)
        )
    if len(groups) > _MOST_PLACES:
        lines.append(
            said("  and {count} more touched more than once", count=counted(len(groups) - _MOST_PLACES, "place"))
        )
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
        named.append(columns if panel.vector else joined("{one}, {two}", [_span("row", top, bottom), columns]))
    if len(merged) > _MOST_PLACES:
        named.append(said("and {count} more", count=counted(len(merged) - _MOST_PLACES, "run")))
    return joined("{one}; {two}", named)


def _span(word: str, first: int, last: int) -> str:
    one, with_a_dash, in_words = _SPANS[word]
    if first == last:
        return Said(one.template, {"first": first})
    return Said((with_a_dash if first >= 0 else in_words).template, {"first": first, "last": last})


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
