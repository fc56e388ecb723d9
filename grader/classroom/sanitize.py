"""Text from submissions without control characters: it cannot move a cursor, set a colour or reverse the direction."""

from __future__ import annotations

import re
import unicodedata

from ..sentence import Said, mapped


def plain(text: str) -> str:
    """The text on one line. U+FFFD replaces each control, direction and unassigned character."""
    if text.isprintable():
        return text
    if isinstance(text, Said):
        return mapped(text, plain)
    return "".join(
        " " if c in "\t\n\r" else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c)[0] == "C" else c for c in text
    )


def plain_lines(text: str) -> str:
    """The text with its lines kept, each of them `plain`, and with spaces for tabs."""
    return "\n".join(plain(line) for line in re.split(r"\r\n?|\n", text.expandtabs(4)))


def plain_all(value):
    """JSON data in which `plain` was applied to every string and to every key of an object."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [plain_all(v) for v in value]
    if isinstance(value, dict):
        return {plain(k): plain_all(v) for k, v in value.items()}
    return value
