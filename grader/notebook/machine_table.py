"""What machine_code returns: a table with a column for each compilation, and below it the code itself, folded."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from ..language import say, wrap
from ..sentence import counted, joined, said
from .drawing import escaped

_LIMITS = {
    "registers": said("registers"),
    "shared": said("shared memory"),
    "threads": said("threads"),
    "programs": said("places for programs"),
}


@dataclass
class Column:
    """One kernel compiled for one GPU.

    call: how it was launched, as text by name: "GPU", "warps", "kernel", and its arguments. error: why it did not
    compile, as a sentence; the rest is empty then. registers: of a thread. spills: values of a thread that found no
    register, in units of 4 bytes. shared: bytes of a program. programs: that fit on a multiprocessor, None where the
    GPU is not known; limited_by: the stocks that allow no more. at_once: programs on the whole GPU. launched: programs
    of the grid. loads, stores: instructions on global memory by the bytes that each moves for a thread. shuffles,
    reductions, barriers, special: numbers of instructions; one in a loop counts once. ttir, assembly: texts; ptx: None
    for AMD. listing: (line of the kernel, instruction) pairs.
    """

    call: dict[str, str]
    error: str | None = None
    registers: int | None = None
    spills: int | None = None
    shared: int | None = None
    programs: int | None = None
    limited_by: list[str] = field(default_factory=list)
    at_once: int | None = None
    launched: int | None = None
    loads: dict[int, int] = field(default_factory=dict)
    stores: dict[int, int] = field(default_factory=dict)
    shuffles: int | None = None
    reductions: int | None = None
    barriers: int | None = None
    special: int | None = None
    ttir: str = ""
    ptx: str | None = None
    assembly: str = ""
    listing: list[tuple[str, str]] = field(default_factory=list)

    def name(self) -> str:
        """The column in a few words."""
        return said(
            "{kernel} on {GPU}, {count}",
            kernel=self.call["kernel"],
            GPU=self.call["GPU"],
            count=counted(int(self.call["warps"]), "warp"),
        )

    def lines(self) -> str:
        """The machine code as text: each instruction, with the line of the kernel that it came from in front."""
        width, above, lines = max([len(line.strip()) for line, _ in self.listing] + [0]), "", []
        for line, instruction in self.listing:
            shown = line.strip() if line != above else ""
            lines.append(f"{shown:<{width}}  {instruction}")
            above = line
        return "\n".join(lines)


_ROWS = {
    said("registers per thread"): lambda c: c.registers,
    said("spills per thread"): lambda c: c.spills,
    said("shared memory, bytes"): lambda c: c.shared,
    said("programs per multiprocessor"): lambda c: c.programs,
    said("limited by"): lambda c: joined("{one} and {two}", [_LIMITS[stock] for stock in c.limited_by]),
    said("programs at once"): lambda c: c.at_once,
    said("of a launch of"): lambda c: c.launched,
    said("loads, bytes per thread"): lambda c: _widths(c.loads),
    said("stores, bytes per thread"): lambda c: _widths(c.stores),
    said("shuffles"): lambda c: c.shuffles,
    said("reductions of a warp"): lambda c: c.reductions or None,
    said("barriers"): lambda c: c.barriers,
    said("special functions"): lambda c: c.special,
}


class MachineCode:
    """Columns of compiled kernels. A notebook shows them as a table with the code folded below it."""

    def __init__(self, columns: list[Column]):
        self.columns = columns

    def __add__(self, other: MachineCode) -> MachineCode:
        """Both side by side."""
        return MachineCode([*self.columns, *other.columns]) if isinstance(other, MachineCode) else NotImplemented

    def _head(self) -> list[list[str]]:
        """The rows that say which column is which: GPU, warps, and all else that is not the same in all columns."""
        names = dict.fromkeys(name for column in self.columns for name in column.call)
        rows = [[name, *(column.call.get(name, "") for column in self.columns)] for name in names]
        rows = [row for row in rows if row[0] in ("GPU", "warps") or len({*row[1:]}) > 1]
        return [[said("warps") if name == "warps" else name, *values] for name, *values in rows]

    def _body(self) -> list[list[str]]:
        """The rows of numbers. A row that no column has a value for is left out."""
        rows = []
        for name, of in _ROWS.items():
            values = [None if column.error else of(column) for column in self.columns]
            if any(value not in (None, "") for value in values):
                rows.append([name, *("" if v is None else v if isinstance(v, str) else str(v) for v in values)])
        return rows

    def _notes(self) -> list[str]:
        spilled = [c.name() for c in self.columns if c.spills]
        notes = [column.error for column in self.columns if column.error]
        if spilled:
            notes.append(
                said(
                    "spills: {list}: values that find no register go to memory and back",
                    list=joined("{one}; {two}", spilled),
                )
            )
        return notes

    def __repr__(self) -> str:
        rows = [[say(cell) for cell in row] for row in (*self._head(), *self._body())]
        widths = [max(wrap.columns(row[i]) for row in rows) for i in range(len(self.columns) + 1)]
        right = [-width for width in widths[1:]]
        lines = [
            "  ".join([wrap.padded(row[0], widths[0]), *(wrap.padded(*each) for each in zip(row[1:], right))])
            for row in rows
        ]
        return "\n".join([*(line.rstrip() for line in lines), *map(say, self._notes())])

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/plain": repr(self), "text/html": self._html()}

    def _html(self) -> str:
        head = "".join(_row(row, "col") for row in self._head())
        body = "".join(_row(row, None) for row in self._body())
        notes = "".join(f"<div>{escaped(note)}</div>" for note in self._notes())
        folded = "".join(
            _folded(said("Machine code of {name}", name=c.name()), c.lines()) for c in self.columns if not c.error
        )
        seen = {c.ttir: c for c in reversed(self.columns) if not c.error}
        folded += "".join(_folded(said("TTIR of {name}", name=c.name()), text) for text, c in reversed(seen.items()))
        return (
            f'<div style="overflow-x:auto"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'
            f"{notes}{folded}"
        )


def _row(cells: list[str], scope: str | None) -> str:
    name, *values = map(escaped, cells)
    tag, more = ("th", f' scope="{scope}"') if scope else ("td", "")
    shown = "".join(f'<{tag}{more} style="text-align:right">{value}</{tag}>' for value in values)
    return f'<tr><th scope="row" style="text-align:left">{name}</th>{shown}</tr>'


def _folded(title: str, text: str) -> str:
    box = "max-height:30em;overflow:auto;line-height:1.3"
    return (
        f"<details><summary>{escaped(title)}</summary>"
        f'<pre tabindex="0" style="{box}">{html.escape(text)}</pre></details>'
    )


def _widths(instructions: dict[int, int]) -> str:
    """Such as "2 × 16, 1 × 4": two instructions of 16 bytes, and one of 4."""
    parts = [f"{number} × {size}" for size, number in sorted(instructions.items(), reverse=True)]
    return ", ".join(parts) or said("none")
