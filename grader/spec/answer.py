"""An answer: the text that is judged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """The source text of one answer, and what was odd about where it came from."""

    source: str
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
