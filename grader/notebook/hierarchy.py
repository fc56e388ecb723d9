"""hierarchy(fn, *args): the memories of a GPU, one above the other, and what operations move between them."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from ..interpreter import KernelMisuse
from ..language import say
from ..language.wrap import fitted, padded
from ..reference import memories
from ..reference.memories import Level
from ..sentence import joined, listed, said
from . import traffic
from .canvas import FRAME, IDLE, PLAIN, READ, WIDTH, WRITTEN, Canvas
from .picture import Picture, in_a_line
from .traffic import Run

_MOST_COLUMNS = 7  # operations in the picture
_MOST_NAMES = 3  # tensors that one operation reads, in the picture
LABEL, LEFT = 1.5, 0.05  # inches: width of the labels, and their distance from the edge
TOP, TALL, GAP = 0.34, (0.62, 0.62, 0.62, 0.86), 0.1  # inches: above the levels, of each level, between two
_SHORT = 8  # characters of a name that fit beside another one
_WIDEST = 0.22  # inches, of the arrow for the most elements
_ALONE, _APART = 1.7, 0.2  # columns that a function of one operation takes beside others; inches between functions


@dataclass
class Operation:
    """One operation of a run. read, written: (tensor, elements in units of M·N) pairs. kernel: whether it is one."""

    name: str
    kernel: bool
    read: list[tuple[str, float]]
    written: list[tuple[str, float]]


def hierarchy(fn=None, *args, gpu: str = "H200", **kwargs):
    """Show the memories of a GPU with their sizes and speeds; and where the operations of fn(*args) find their numbers.

    fn: a function, or a list of functions, which is run and counted as by `traffic`. gpu: a name, such as "T4";
    a wrong one says which there are. Prints a table and returns a Picture of it. Raises KernelMisuse for a wrong name.

    >>> hierarchy(naive_softmax, x)
    """
    if gpu not in memories.drawable():
        choice = _or(memories.drawable())
        raise KernelMisuse(
            said(
                "the course does not have all numbers of the memories of {gpu}: choose {choice}",
                gpu=repr(gpu),
                choice=choice,
            )
        )
    levels = memories.levels(gpu)
    functions = [] if fn is None else fn if isinstance(fn, (list, tuple)) else [fn]
    runs = [traffic.count(each, args, kwargs) for each in functions]
    told = [_told(run, levels[2]) for run in runs]
    table = [_head(gpu), *map(_row, levels), say(said("from: {source}", source=memories.source(gpu)))]
    print("\n".join(map(fitted, [*table, *(line for lines in told for line in ["", *lines])])))
    parts = [said("Picture of the memories of the {gpu}.", gpu=gpu), *(said("{one}.", one=_words(e)) for e in levels)]
    parts += [said("{one}.", one=line) for lines in told for line in lines]
    return Picture(in_a_line(parts), lambda: figure(gpu, levels, runs))


def operations(run: Run) -> list[Operation]:
    """The operations of a run, in order. An operation that runs several times in a row is one."""
    found = []
    for name, moves in itertools.groupby(run.moves, key=lambda move: move[0]):
        sums: tuple[dict[str, float], dict[str, float]] = {}, {}
        for _, tensor, *amounts in moves:
            for each, amount in zip(sums, amounts):
                if amount:
                    each[tensor] = each.get(tensor, 0) + amount / run.unit
        found.append(Operation(name, name in run.kernels, *(list(each.items()) for each in sums)))
    return found


def figure(gpu: str, levels: list[Level], runs: list[Run]):
    """A matplotlib figure: the levels as boxes, the nearest to the arithmetic on top; a column for each operation."""
    columns = [(run, operation) for run in runs for operation in operations(run)]
    drawn = [operation for _, operation in columns[:_MOST_COLUMNS]]
    mixed = len({each.kernel for each in drawn}) > 1  # the legend has a line more
    height = TOP + sum(TALL) + GAP * len(TALL) + (0.56 if drawn else 0) + 0.24 * mixed
    canvas = Canvas(height)
    tops = draw_levels(canvas, gpu, levels, alone=not drawn)
    if drawn:
        _draw_columns(canvas, columns[:_MOST_COLUMNS], tops)
        _draw_legend(canvas, height - 0.46 - 0.24 * mixed, drawn, len(columns) - len(drawn))
    return canvas.figure


def draw_levels(canvas: Canvas, gpu: str, levels: list[Level], alone: bool) -> list[float]:
    """Draw the levels as boxes; the distances of their tops from the top, in inches. alone: as in _draw_level."""
    count = levels[0].count
    canvas.text(
        LEFT + 0.05,
        0.17,
        said("{gpu}: each of its {count} multiprocessors has registers and shared memory", gpu=gpu, count=count),
    )
    top, tops = TOP, []
    for level, tall in zip(levels, TALL):
        tops.append(top)
        _draw_level(canvas, level, top, tall, alone)
        top += tall + GAP
    return tops


def _draw_level(canvas: Canvas, level: Level, top: float, tall: float, alone: bool) -> None:
    """Draw one level. alone: no columns are beside its label, so there is room for all that is known of it."""
    canvas.box(LEFT, top, WIDTH - 2 * LEFT, tall, **FRAME)
    each = f"{level.count} × {_size(level.bytes)}" if level.count > 1 else _size(level.bytes)
    speed = said("up to {speed}", speed=_speed(level)) if level.speed else said("speed not published")
    if not alone:
        canvas.box(LEFT, top, LABEL, tall, joined("{one}\n{two}", [level.name, each, speed]), 8.5, **FRAME)
        return
    together = f" = {_size(level.count * level.bytes)}" if level.count > 1 else ""
    canvas.box(LEFT, top, LABEL, tall, level.name, 10, **FRAME)
    text = joined("{one}\n{two}", [joined("{one}, {two}", [f"{each}{together}", speed]), level.sharers])
    canvas.box(LEFT + LABEL, top, WIDTH - 2 * LEFT - LABEL, tall, text, 9.5, **FRAME)


def _draw_columns(canvas: Canvas, columns: list[tuple[Run, Operation]], tops: list[float]) -> None:
    """Draw a column for each operation. Of several functions, each has its name above its columns.

    A function of one operation has a wider one: it is one step beside the steps of another function.
    """
    runs = [[*group] for _, group in itertools.groupby(columns, key=lambda column: id(column[0]))]
    several = len(runs) > 1
    shares = [_ALONE if several and len(run) == 1 else len(run) for run in runs]
    wide = (WIDTH - 2 * LEFT - LABEL - _APART * (len(runs) - 1)) / max(sum(shares), 4)
    left = LEFT + LABEL
    for run, share in zip(runs, shares):
        if several:
            canvas.text(left + share * wide / 2, tops[0] + 0.13, run[0][0].name, size=8.5, ha="center")
        _draw_run(canvas, [each for _, each in run], (left, share * wide / len(run)), tops, 0.2 * several)
        left += share * wide + _APART


def _draw_run(
    canvas: Canvas, columns: list[Operation], place: tuple[float, float], tops: list[float], lower: float
) -> None:
    """Draw the columns of one function. place: (left edge, width of a column). lower: room for its name."""
    left, wide = place
    most = max((amount for each in columns for _, amount in each.read + each.written), default=1)
    inside, memory = tops[0] + 0.06 + lower, tops[3]
    below = tops[1] + TALL[1] - 0.06
    for number, each in enumerate(columns):
        x = left + (number + 0.5) * wide
        style = PLAIN if each.kernel else IDLE
        canvas.box(x - 0.46 * wide, inside, 0.92 * wide, below - inside, _wrapped(each.name), 8, **style)
        for moved, at, arrow, ends in (
            (each.read, x - 0.24 * wide, READ, (memory + 0.12, below)),
            (each.written, x + 0.24 * wide, WRITTEN, (below, memory + 0.12)),
        ):
            amount = sum(amount for _, amount in moved)
            if not amount:
                continue
            canvas.arrow(at, *ends, max(0.02, _WIDEST * min(1, amount / most)), **arrow)
            names = [_wrapped(_tensor(name)) for name, _ in moved[:_MOST_NAMES]] + ["..."] * (len(moved) > _MOST_NAMES)
            canvas.text(at, memory + 0.24, _amount(amount), size=8, ha="center")
            beside = joined("{one}\n{two}", names)
            canvas.text(at, memory + 0.36, beside, size=7, ha="center", va="top")


def _draw_legend(canvas: Canvas, y: float, drawn: list[Operation], left_out: int) -> None:
    what = said("elements in units of M·N; the names are those of operations and of kernel parameters")
    if left_out:
        what = said("{what}; {left_out} operations more are not drawn", what=what, left_out=left_out)
    canvas.text(LEFT + 0.05, y, what, size=8.5)
    boxes = [(0.1, 0.2, READ, said("read")), (0.85, 0.2, WRITTEN, said("written"))]
    kernels = any(each.kernel for each in drawn)
    if kernels:
        boxes += [(1.8, 0.2, PLAIN, said("a kernel: all in between stays here"))]
    if not all(each.kernel for each in drawn):
        boxes += [(1.8, 0.44 if kernels else 0.2, IDLE, said("an operation: its inside is not shown"))]
    for x, below, style, text in boxes:
        canvas.box(x, y + below, 0.2, 0.16, **style)
        canvas.text(x + 0.27, y + below + 0.08, text, size=8.5)


def _tensor(name: str) -> str:
    """The name of a tensor; "input", which Ledger.moves calls one that nothing wrote before, is a word."""
    return said("input") if name == "input" else name


def _wrapped(name: str) -> str:
    """A name in lines: a long one is broken after an underscore inside of it."""
    return re.sub(r"(?<=[^_]_)(?=[^_])", "\n", name) if len(name) > _SHORT else name


def _told(run: Run, cache: Level) -> list[str]:
    """The lines of one function: the tensors that each operation finds in memory, and whether a cache may hold them."""
    size, found = 4 * run.unit, operations(run)
    lines = [said("{name}, with an input of {size} in float32", name=run.name, size=_size(size))]
    if len(found) > 1 and size <= cache.bytes:
        lines[0] = said(
            "{line}: it fits in the L2 cache, where an operation may find what the one before it wrote", line=lines[0]
        )
    elif len(found) > 1:
        lines[0] = said("{line}: it does not fit in the L2 cache", line=lines[0])
    for each in found:
        read, written = (
            listed([said("{tensor} {amount} MN", tensor=_tensor(name), amount=_amount(n)) for name, n in moved])
            or said("nothing")
            for moved in (each.read, each.written)
        )
        values = {"name": each.name, "read": read, "written": written}
        lines.append(
            said("  {name}: from memory {read}; to memory {written}; in between: registers and shared memory", **values)
            if each.kernel
            else said("  {name}: from memory {read}; to memory {written}; in between: not shown", **values)
        )
    return lines + [run.note] * bool(run.note)


def _head(gpu: str) -> str:
    heads = (
        padded(say(head), -width) for head, width in ((said("each"), 8), (said("how many"), 9), (said("together"), 9))
    )
    most = say(said("at most"))
    return f"{gpu:<16}{' '.join(heads)}  {most}"


def _row(level: Level) -> str:
    together = _size(level.count * level.bytes)
    speed = _speed(level) or said("not published")
    name, speed = padded(say(level.name), 16), padded(say(speed), 14)
    return f"{name}{_size(level.bytes):>8} {level.count:>9} {together:>9}  {speed} {say(level.sharers)}"


def _words(level: Level) -> str:
    each = (
        said("{count} times {size}", count=level.count, size=_size(level.bytes))
        if level.count > 1
        else _size(level.bytes)
    )
    speed = said("up to {speed}", speed=_speed(level)) if level.speed else said("its speed is not published")
    return joined("{one}: {two}", [level.name, joined("{one}, {two}", [each, speed, level.sharers])])


def _amount(elements: float) -> str:
    """Elements in units of M·N. A vector is little beside a matrix, and not nothing."""
    return f"{elements:.2f}" if elements >= 0.01 else f"{elements:.1g}"


def _size(n: int) -> str:
    """Bytes as text. Memory is sold in powers of ten, and all on the chip is made in powers of two."""
    if n >= 10**9:
        return f"{n / 1e9:.0f} GB"
    return f"{n / 2**20:.3g} MB" if n >= 2**20 else f"{n / 2**10:.3g} KB"


def _speed(level: Level) -> str:
    return f"{level.speed / 1e12:.3g} TB/s" if level.speed else ""


def _or(names: list[str]) -> str:
    return said("{list} or {names}", list=listed(names[:-1]), names=names[-1])
