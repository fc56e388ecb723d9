"""A race of one answer: the check first, and then the clock."""

from __future__ import annotations

from collections.abc import Sequence

from ..sentence import Said
from ..spec import Answer, Card, Exercise, Result, Shape
from .raced import Raced

SHAPES_DRAWN = 2  # besides the known ones


def cannot_race_here() -> Said | None:
    """Why no answer can race on this machine, as one sentence for a learner; None where a GPU is there."""
    raise NotImplementedError


def card() -> Card:
    """The GPU of this machine."""
    raise NotImplementedError


def exercises() -> tuple[str, ...]:
    """Ids of the exercises that race, in the order of the course."""
    raise NotImplementedError


def shapes(exercise: Exercise, secret: bytes, drawn: int = SHAPES_DRAWN) -> tuple[Shape, ...]:
    """The shapes of an exercise: those that everybody knows, and `drawn` more that follow from the secret."""
    raise NotImplementedError


def race(
    exercise: Exercise,
    answer: Answer,
    secret: bytes,
    on: Sequence[Shape] | None = None,
    peers: bool = False,
    checked: Result | None = None,
) -> Raced:
    """Check an answer, and time it on the GPU of this machine if it passes. No behaviour of an answer makes it raise.

    secret: the numbers, their places in memory and the drawn shapes follow from it. on: None takes `shapes`. peers:
    whether the course's own functions are timed beside it. checked: the verdict, where it is known; None asks `judge`.
    """
    raise NotImplementedError
