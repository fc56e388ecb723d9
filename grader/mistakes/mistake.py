"""The record of a known misconception."""

from dataclasses import dataclass

from ..sentence import Said, said
from .mutant import Mutant


@dataclass(frozen=True, init=False)
class Mistake:
    """A known misconception: an id, one sentence that describes the error, one question. Neither gives the fix away.

    mutants: wrong answers that make this mistake. The judge replays those of an exercise after a failure.
    """

    id: str
    sentence: Said
    question: Said
    mutants: tuple[Mutant, ...]

    def __init__(self, id: str, sentence: str, question: str, *mutants: Mutant | tuple[Mutant, ...]):
        """mutants: one by one, or as many as `several` gives."""
        values = {
            "id": id,
            "sentence": said(sentence),
            "question": said(question),
            "mutants": tuple(m for each in mutants for m in (each if isinstance(each, tuple) else (each,))),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
