"""What a file holds, as far as it decides which file of a student counts. Nothing is executed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from . import submissions

_MARK = "### BEGIN SOLUTION"  # around the answers in the course's own solutions


@dataclass(frozen=True)
class Contents:
    """What a file holds.

    lesson: a number of the outline, None if it answers none. answered: the exercises whose answer is not the course's
    stub, by id. digest: the same for two files whose answers are the same, "" without answers. solution: whether the
    file is one of the course's solutions. problems: sentences about what is odd, or why nothing could be read.
    """

    lesson: str | None = None
    answered: tuple[str, ...] = ()
    digest: str = ""
    solution: bool = False
    problems: tuple[str, ...] = ()


def of(data: bytes, name: str, asked: Collection[str] | None = None) -> Contents:
    """What a file with these bytes and this path holds. asked: the lessons of the assignment, None for all."""
    read = submissions.read(data, name, asked)
    answers = [each for each in submissions.answers(read) if not submissions.is_blank(*each)]
    texts = "\n".join(f"{exercise.id} {answer.digest()}" for exercise, answer in answers)
    return Contents(
        read.lesson,
        tuple(exercise.id for exercise, _ in answers),
        hashlib.sha256(texts.encode()).hexdigest() if answers else "",
        any(_MARK in cell for cell in read.cells),
        tuple(read.problems),
    )
