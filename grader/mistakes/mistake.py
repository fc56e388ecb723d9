"""The record of a known misconception."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A known misconception: an id, one sentence that describes the error, one question. Neither gives the fix away."""

    id: str
    sentence: str
    question: str
