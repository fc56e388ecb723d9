"""trace of a CUDA kernel: the requests of its warps to shared memory, as text and as a picture of the banks."""

from __future__ import annotations

from ..language.wrap import fitted
from ..sentence import joined, listed, said
from ..spec import SharedRequests
from ..spec.requests import BANK_WIDTH, BANKS
from . import cuda_launch
from .canvas import EMPTY, READ, WIDTH, Canvas
from .picture import Picture, in_a_line

_MOST_TURNS = 8  # rows of one request in the picture; 32 would be the most
_MOST_DRAWN = 3  # requests: those with the most ways
_LEFT, _HEAD, _CELL = 0.62, 0.5, 0.2  # inches
_WIDE = (WIDTH - _LEFT - 0.08) / BANKS
_MOST_CODE = 48  # characters of a line


def trace(source: str, x, threads: int = 64) -> Picture | None:
    """Run a kernel as `launch` does, and show its requests to shared memory. Returns None if there are none."""
    name, evidence = cuda_launch.run(source, x, threads, requests=True)
    found = evidence.shared_requests
    lines = [
        said(
            "{name}, {threads} threads: requests of the first thread block to shared memory, {BANKS} banks of "
            "{BANK_WIDTH} bytes",
            name=name,
            threads=threads,
            BANKS=BANKS,
            BANK_WIDTH=BANK_WIDTH,
        )
    ]
    lines += [said("  {one}: {two}", one=_place(each, source), two=_amount(each)) for each in found]
    if not found:
        lines = [said("{name} does not touch shared memory", name=name)]
    print("\n".join(map(fitted, lines)))
    drawn = sorted(sorted(found, key=lambda each: -each.most)[:_MOST_DRAWN], key=lambda each: each.line)
    if not found:
        return None
    parts = [said("{one}.", one=line) for line in [*lines, *map(_words, drawn)]]
    return Picture(in_a_line([said("Picture of shared memory."), *parts]), lambda: figure(drawn, source))


def figure(drawn: list[SharedRequests], source: str):
    """A matplotlib figure: for each entry its worst request, with the banks side by side and a row for each turn."""
    tall = [_HEAD + _CELL * min(_turns(each), _MOST_TURNS) + 0.12 for each in drawn]
    canvas, top = Canvas(sum(tall) + 0.3), 0.0
    for each, height in zip(drawn, tall):
        _draw(canvas, each, source, top)
        top += height
    canvas.box(0.05, top + 0.06, _WIDE, 0.16, "3", 8, **READ)
    canvas.text(0.3, top + 0.14, said("thread served in this turn; 3+ : others ask for the same word"), size=8.5)
    return canvas.figure


def _draw(canvas: Canvas, each: SharedRequests, source: str, top: float) -> None:
    turns = _turns(each)
    title = joined("{one}: {two}", [_place(each, source), _ways(each.most)])
    if turns > _MOST_TURNS:
        title = said("{title} (drawn: {MOST_TURNS} turns)", title=title, MOST_TURNS=_MOST_TURNS)
    canvas.text(0.05, top + 0.14, title, size=9.5)
    canvas.text(_LEFT - 0.06, top + 0.37, said("bank"), size=8.5, ha="right")
    for bank in range(0, BANKS):
        if bank % 4 == 0 or bank == BANKS - 1:
            canvas.text(_LEFT + (bank + 0.5) * _WIDE, top + 0.37, str(bank), size=8.5, ha="center")
    served: dict[tuple[int, int], list[int]] = {}
    for thread, word, turn in each.shown:
        served.setdefault((turn, word % BANKS), []).append(thread)
    for turn in range(min(turns, _MOST_TURNS)):
        y = top + _HEAD + turn * _CELL
        canvas.text(_LEFT - 0.06, y + _CELL / 2, said("turn {value}", value=turn + 1), size=8.5, ha="right")
        for bank in range(BANKS):
            threads = served.get((turn, bank), [])
            label = f"{threads[0]}{'+' if len(threads) > 1 else ''}" if threads else ""
            style = READ if threads else EMPTY
            canvas.box(_LEFT + bank * _WIDE, y + 0.02, _WIDE, _CELL - 0.04, label, 8 if len(label) < 3 else 6, **style)


_OPS = {"load": said("loads"), "store": said("stores")}
_ONE = {"load": said("load"), "store": said("store")}


def _place(each: SharedRequests, source: str) -> str:
    """The line of the kernel, such as "line 8, `buffer[me] = m;`, stores"."""
    lines = source.splitlines()
    code = lines[each.line - 1].partition("//")[0].strip() if 1 <= each.line <= len(lines) else ""
    code = code if len(code) <= _MOST_CODE else code[: _MOST_CODE - 3] + "..."
    op = _OPS[each.op]
    return said("line {line}, `{code}`, {op}", line=each.line, code=code, op=op) if code else op


def _amount(each: SharedRequests) -> str:
    requests = (
        said("{requests} requests", requests=each.requests)
        if each.requests != 1
        else said("{requests} request", requests=each.requests)
    )
    if each.ways == each.requests:
        return said("{requests} without a conflict", requests=requests)
    return said(
        "{requests}, {value} ways on average; the worst has {most}",
        requests=requests,
        value=f"{each.ways / each.requests:.2f}",
        most=each.most,
    )


def _ways(n: int) -> str:
    return said("no conflict") if n == 1 else said("{n} ways", n=n)


def _words(each: SharedRequests) -> str:
    """The worst request in words."""
    by_bank: dict[int, list[int]] = {}
    for thread, word, _ in each.shown:
        by_bank.setdefault(word % BANKS, []).append(thread)
    first = min(by_bank)
    asking = by_bank[first][:8]
    return (
        said(
            "Drawn of line {line}: a {op} of {ways}, which uses {count} of {BANKS} banks; bank "
            "{first} is asked by thread {list} and others",
            line=each.line,
            op=_ONE[each.op],
            ways=_ways(each.most),
            count=len(by_bank),
            BANKS=BANKS,
            first=first,
            list=listed([*map(str, asking)]),
        )
        if len(by_bank[first]) > 8
        else said(
            "Drawn of line {line}: a {op} of {ways}, which uses {count} of {BANKS} banks; bank "
            "{first} is asked by thread {list}",
            line=each.line,
            op=_ONE[each.op],
            ways=_ways(each.most),
            count=len(by_bank),
            BANKS=BANKS,
            first=first,
            list=listed([*map(str, asking)]),
        )
    )


def _turns(each: SharedRequests) -> int:
    return 1 + max(turn for _, _, turn in each.shown)
