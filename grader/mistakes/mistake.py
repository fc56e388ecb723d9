"""What a mistake is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A known misconception: an id, one sentence that says what happened, one question. Never the fix."""

    id: str
    sentence: str
    question: str
