"""The course: its lessons in order, their points, and the exercises of those that exist.

Runs in: the judge's process.
May import: checks, mistakes, reference, root, sentence, spec.
Start reading: lesson_04.py (a short one), then outline.py.

lesson_NN          the exercises of a lesson: cases, hints, points
outline            numbers, names and points of the lessons
blank              which answers are the stubs of the notebooks that learners open
drivers/           texts that join an answer where calling one name of it is not enough
lesson_06_kernels/ right, wrong and broken kernels that exercise 6.4 tests
lesson_16_functions/ right and wrong losses with their gradients, which exercise 16.3 tests
"""

from __future__ import annotations

import functools
import importlib
import importlib.util

from ..spec import Exercise
from .outline import OUTLINE, TITLES


@functools.cache
def exercises() -> dict[str, Exercise]:
    """Every exercise by id, in the order of the course."""
    found: dict[str, Exercise] = {}
    for number in OUTLINE:
        module = f"{__name__}.lesson_{number}"
        if importlib.util.find_spec(module):
            found |= {e.id: e for e in importlib.import_module(module).EXERCISES}
    return found


def number_of(exercise: str) -> str:
    """The number of an exercise's lesson: "04" of "4.1"."""
    return exercise.split(".")[0].zfill(2)


def of_lesson(number: str) -> list[Exercise]:
    """The exercises of one lesson, such as "04"; empty for a lesson that does not exist."""
    return [each for each in exercises().values() if number_of(each.id) == number.zfill(2)]


__all__ = ["OUTLINE", "TITLES", "exercises", "number_of", "of_lesson"]
