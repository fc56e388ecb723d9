"""trace of a CUDA kernel: the requests of its warps to shared memory, as text and as a picture of the banks."""

from __future__ import annotations

from ..language import say
from ..spec import SharedRequests
from ..spec.requests import BANK_WIDTH, BANKS
from . import cuda_launch
from .canvas import EMPTY, READ, WIDTH, Canvas
from .picture import Picture

_MOST_TURNS = 8  # rows of one request in the picture; 32 would be the most
_MOST_DRAWN = 3  # requests: those with the most ways
_LEFT, _HEAD, _CELL = 0.62, 0.5, 0.2  # inches
_WIDE = (WIDTH - _LEFT - 0.08) / BANKS
_MOST_CODE = 48  # characters of a line


def trace(source: str, x, threads: int = 64) -> Picture | None:
    """Run a kernel as `launch` does, and show its requests to shared memory. Returns None if there are none."""
    name, evidence = cuda_launch.run(source, x, threads, requests=True)
    found = evidence.shared_requests
    lines = [f"{name}, {threads} threads: requests of the first thread block to shared memory, {BANKS} banks of "
             f"{BANK_WIDTH} bytes"]  # fmt: skip
    lines += [f"  {_place(each, source)}: {_amount(each)}" for each in found]
    if not found:
        lines = [f"{name} does not touch shared memory"]
    print("\n".join(map(say, lines)))
    drawn = sorted(sorted(found, key=lambda each: -each.most)[:_MOST_DRAWN], key=lambda each: each.line)
    words = ". ".join(" ".join(line.split()) for line in [*lines, *(_words(each) for each in drawn)])
    return Picture(f"Picture of shared memory. {words}.", lambda: figure(drawn, source)) if found else None


def figure(drawn: list[SharedRequests], source: str):
    """A matplotlib figure: for each entry its worst request, with the banks side by side and a row for each turn."""
    tall = [_HEAD + _CELL * min(_turns(each), _MOST_TURNS) + 0.12 for each in drawn]
    canvas, top = Canvas(sum(tall) + 0.3), 0.0
    for each, height in zip(drawn, tall):
        _draw(canvas, each, source, top)
        top += height
    canvas.box(0.05, top + 0.06, _WIDE, 0.16, "3", 8, **READ)
    canvas.text(0.3, top + 0.14, "thread served in this turn; 3+ : others ask for the same word", size=8.5)
    return canvas.figure


def _draw(canvas: Canvas, each: SharedRequests, source: str, top: float) -> None:
    turns = _turns(each)
    cut = f" (drawn: {_MOST_TURNS} turns)" if turns > _MOST_TURNS else ""
    canvas.text(0.05, top + 0.14, f"{_place(each, source)}: {_ways(each.most)}{cut}", size=9.5)
    canvas.text(_LEFT - 0.06, top + 0.37, "bank", size=8.5, ha="right")
    for bank in range(0, BANKS):
        if bank % 4 == 0 or bank == BANKS - 1:
            canvas.text(_LEFT + (bank + 0.5) * _WIDE, top + 0.37, str(bank), size=8.5, ha="center")
    served: dict[tuple[int, int], list[int]] = {}
    for thread, word, turn in each.shown:
        served.setdefault((turn, word % BANKS), []).append(thread)
    for turn in range(min(turns, _MOST_TURNS)):
        y = top + _HEAD + turn * _CELL
        canvas.text(_LEFT - 0.06, y + _CELL / 2, f"turn {turn + 1}", size=8.5, ha="right")
        for bank in range(BANKS):
            threads = served.get((turn, bank), [])
            label = f"{threads[0]}{'+' if len(threads) > 1 else ''}" if threads else ""
            style = READ if threads else EMPTY
            canvas.box(_LEFT + bank * _WIDE, y + 0.02, _WIDE, _CELL - 0.04, label, 8 if len(label) < 3 else 6, **style)


def _place(each: SharedRequests, source: str) -> str:
    """The line of the kernel, such as "line 8, `buffer[me] = m;`, stores"."""
    lines = source.splitlines()
    code = lines[each.line - 1].partition("//")[0].strip() if 1 <= each.line <= len(lines) else ""
    code = code if len(code) <= _MOST_CODE else code[: _MOST_CODE - 3] + "..."
    return f"line {each.line}, `{code}`, {each.op}s" if code else f"{each.op}s"


def _amount(each: SharedRequests) -> str:
    requests = f"{each.requests} request{'s' * (each.requests != 1)}"
    if each.ways == each.requests:
        return f"{requests} without a conflict"
    return f"{requests}, {each.ways / each.requests:.2f} ways on average; the worst has {each.most}"


def _ways(n: int) -> str:
    return "no conflict" if n == 1 else f"{n} ways"


def _words(each: SharedRequests) -> str:
    """The worst request in words."""
    by_bank: dict[int, list[int]] = {}
    for thread, word, _ in each.shown:
        by_bank.setdefault(word % BANKS, []).append(thread)
    first = min(by_bank)
    asking = by_bank[first][:8]
    return (
        f"Drawn of line {each.line}: a {each.op} of {_ways(each.most)}, which uses {len(by_bank)} of {BANKS} banks; "
        f"bank {first} is asked by thread {', '.join(map(str, asking))}{' and others' * (len(by_bank[first]) > 8)}"
    )


def _turns(each: SharedRequests) -> int:
    return 1 + max(turn for _, _, turn in each.shown)
