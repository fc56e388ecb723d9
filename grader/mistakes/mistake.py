"""The record of a known misconception."""

from dataclasses import dataclass

from ..sentence import Said, said
from .mutant import Mutant


@dataclass(frozen=True)
class Mistake:
    """A known misconception: an id, one sentence that describes the error, one question. Neither gives the fix away.

    mutants: wrong answers that make this mistake. The judge replays those of an exercise after a failure.
    """

    id: str
    sentence: str
    question: str
    mutants: tuple[Mutant, ...] = ()

    def __post_init__(self):
        for name in ("sentence", "question"):
            if not isinstance(getattr(self, name), Said):
                object.__setattr__(self, name, said(getattr(self, name)))
