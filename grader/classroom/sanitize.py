"""Text from strangers as text: nothing in it moves a cursor, changes a colour or turns the reading direction."""

from __future__ import annotations

import unicodedata


def plain(text: str) -> str:
    """The text on one line, with a mark in place of every control, direction and unassigned character."""
    if text.isprintable():
        return text
    return "".join(
        " " if c in "\t\n\r" else "\N{REPLACEMENT CHARACTER}" if unicodedata.category(c)[0] == "C" else c for c in text
    )


def plain_all(value):
    """JSON data with every text in it made plain, the keys of objects too."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [plain_all(v) for v in value]
    if isinstance(value, dict):
        return {plain(k): plain_all(v) for k, v in value.items()}
    return value
