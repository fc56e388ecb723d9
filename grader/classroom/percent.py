"""The code cells of a Python file: jupytext's percent format, scripts that nbconvert made, and plain Python.

And the other way round: a notebook as such a file. Nothing of jupytext is used: it reads the YAML above the cells, and
a few lines of that can fill any memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..judge import extract
from ..sentence import said
from .run_order import CodeCell

# The line above a cell, with the kind of the cell, or with its execution count. `# %%time` is a magic in a cell.
CELL = re.compile(r"^#[ \t]*(?:%%(?![\w%])(?P<kind>.*)|In[ \t]?\[(?P<count>[ \d]*)\]:?[ \t]*)\r?$", re.MULTILINE)
_TEXT = re.compile(r"\[(?:markdown|md|raw)\]")
# A line that may begin a top-level statement: it is not indented, and continues no statement above it.
_BEGINS = re.compile(r"^(?![\s#)\]}]|(?:else|elif|except|finally)\b|\Z)", re.MULTILINE)
_MOST_LINES = 30  # top-level lines that one statement may have, as the text of a kernel in CUDA C++ has
_MOST_PARTS = 2000  # top-level lines of a cell that is taken apart


def cells(text: str) -> list[CodeCell]:
    """The code cells of a text. Without a line that begins a cell, all of it is one cell.

    A cell that is no Python is taken apart into its top-level statements: one that lacks a colon costs no other one.
    """
    found: list[CodeCell] = []
    whole = True
    for mark, above, part in _code(text):
        count = (mark["count"] or "").strip() if mark is not None else ""
        parts = [] if _is_python(part) else _apart(part, above)
        if len(parts) > 1:
            found += parts
            whole = False
        else:
            ran = int(count) if 0 < len(count) < 9 and int(count) else None
            blank = len(part) - len(part.lstrip())
            found.append(CodeCell(part, ran, called="" if ran else _called(above, part, blank)))
    # The parts of a cell have one count, and such counts say nothing about an order.
    return found if whole else [replace(cell, count=None) for cell in found]


def faults(text: str) -> list[tuple[int, str]]:
    """(line of the file, why) of the first fault of each code cell that Python cannot read."""
    found = ((above, extract.fault_of(part)) for _, above, part in _code(text))
    return [(above + fault[0], fault[1]) for above, fault in found if fault]


def written(cells: Iterable[tuple[str, str]]) -> str:
    """A file in percent format. cells: (kind, text) as in a notebook; what is no code becomes comments."""
    parts = []
    for kind, text in cells:
        if kind == "code":
            parts.append(f"# %%\n{text}")
        else:
            lines = (f"# {line}".rstrip() for line in text.split("\n"))
            parts.append("\n".join([f"# %% [{kind}]", *lines]))
    return "\n\n".join(parts) + "\n"


def _code(text: str) -> Iterator[tuple[re.Match | None, int, str]]:
    """(the line above it, the number of lines up to that one, the text) of each code cell."""
    marks = list(CELL.finditer(text))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    for mark, start, end in zip([None, *marks], starts, ends):
        part = text[start:end]
        if mark is None and marks and not re.search(r"^[^#\s]", part, re.MULTILINE):
            continue  # jupytext's own header, in comments
        if mark is not None and mark["kind"] and _TEXT.search(mark["kind"]):
            continue
        yield mark, text.count("\n", 0, start), part


def _called(above: int, text: str, at: int) -> str:
    """What a part of a file is called. above: the number of lines above the text; at: where the part begins in it."""
    return said("the part from line {line} on", line=above + text.count("\n", 0, at) + 1)


def _is_python(text: str) -> bool:
    return extract.without(text, set()) is not None


def _apart(text: str, above: int) -> list[CodeCell]:
    """The statements of a cell that is no Python, each in a cell of its own. above: the number of lines above it."""
    begins = [match.start() for match in _BEGINS.finditer(text)]
    if not 1 < len(begins) <= _MOST_PARTS:
        return [CodeCell(text)]
    places, parts, at = [0, *begins[1:], len(text)], [], 0
    while at < len(begins):
        ends = range(at + 1, min(at + _MOST_LINES, len(begins)) + 1)
        end = next((end for end in ends if _is_python(text[places[at] : places[end]])), at + 1)
        parts.append(CodeCell(text[places[at] : places[end]], called=_called(above, text, places[at])))
        at = end
    return parts
