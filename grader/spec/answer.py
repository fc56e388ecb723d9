"""The answer to an exercise: the source text that is judged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    """The source text of one answer.

    missing: required names that no cell defines. problems: sentences about cells that were left out.
    """

    source: str
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
