"""Lines of a given width, in languages with spaces between words and in those without."""

from __future__ import annotations

import re
import textwrap
import unicodedata

from .choose import say

WIDTH = 100  # columns of a cell's output beside JupyterLab's list of files, on a screen of 1280 pixels
# What may stand on a line by itself: a run of narrow characters without a space, or one wide character with the
# punctuation that must not be parted from it.
_OPENING, _CLOSING = "（《〈「『“‘【［", "，。、；：？！）》〉」』”’】］…—"
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60"
_UNIT = re.compile(
    rf"\s+|[{_OPENING}]*(?:[^\s{_WIDE}{_OPENING}{_CLOSING}]+|[{_WIDE}])?[{_CLOSING}]*", re.DOTALL
)  # fmt: skip


def columns(text: str) -> int:
    """The width of a text in columns of a terminal: 2 for a wide character."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    """The text with spaces behind it, or in front of it for a width below 0, up to this width in columns."""
    spaces = " " * (abs(width) - columns(text))
    return spaces + text if width < 0 else text + spaces


def fitted(line: str) -> str:
    """A line of a table or a text in the language in use; one that is too wide for a cell goes on below, indented more.

    A notebook breaks such a line anywhere, also within a number.
    """
    line = say(line)
    if columns(line) <= WIDTH:
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    return "\n".join(wrap(line.strip(), WIDTH, indent, indent + "    "))


def wrap(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """The lines of a text, at most `width` columns each where its words allow that.

    first, later: what begins the first line, and the others. A line does not begin with closing punctuation.
    """
    if not re.search(f"[{_WIDE}{_CLOSING}]", text):
        return textwrap.wrap(
            text, width, initial_indent=first, subsequent_indent=later, break_long_words=False
        )  # fmt: skip
    lines, line = [], first
    begun = False
    for unit in (found[0] for found in _UNIT.finditer(text) if found[0]):
        if unit.isspace():
            unit = " " if begun else ""
        elif begun and columns(line) + columns(unit) > width:
            lines.append(line.rstrip())
            line = later
        line += unit
        begun = begun or bool(unit)
        if line == later + " ":
            line = later
    return [*lines, line.rstrip()] if line.strip() else lines
