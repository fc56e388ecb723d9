"""Two kinds of values that have no plain form on the other side of the line between judge and worker."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Once:
    """Values that the other side can walk along once: they arrive as an iterator."""

    values: list


class Unreadable:
    """Stands for a value that has no plain form; equal to nothing."""

    def __init__(self, kind: str):
        self.kind = kind

    def __repr__(self):
        return f"<{self.kind}>"
