"""Two kinds of values that cannot be sent as plain data between judge and worker: iterators and unknown objects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Once:
    """Values that arrive as an iterator, so that the receiver can read them once only."""

    values: list


class Unreadable:
    """The placeholder for a value without a plain form; unequal to every other object. kind: name of its type."""

    def __init__(self, kind: str):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"
