"""A class whose answers to lessons 04 and 05 every grader gets: 15 students, 30 notebooks, right and wrong answers."""

from __future__ import annotations

import random
from collections.abc import Iterator

import course  # puts the course on the path
import nbformat
from conftest import stored

from grader import lessons

LESSONS = {"04": "04_one_row.ipynb", "05": "05_every_row.ipynb"}
STUDENTS = 15
# Wrong numbers, and nothing that takes a process down with it: Triton's own interpreter does not survive those.
_MISTAKES = {"no-max", "no-exp", "pad-zero", "pad-finite", "sum-of-x", "block-is-n-cols", "divided-by-count"}
_IMPORTS = "import torch\nimport triton\nimport triton.language as tl"


def students() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """(student, lesson, [(exercise, answer)]): two thirds of the answers are right ones."""
    kept = {}
    for each in stored("right"):
        kept.setdefault((each.exercise, True), []).append(each.source)
    for each in stored("wrong"):
        if each.mistake in _MISTAKES:
            kept.setdefault((each.exercise, False), []).append(each.source)
    own = course.solutions()
    for number in range(STUDENTS):
        chance = random.Random(number)
        for lesson in LESSONS:
            answers = []
            for exercise in lessons.of_lesson(lesson):
                choices = kept.get((exercise.id, chance.random() < 2 / 3), []) + [own[exercise.id]]
                answers.append((exercise.id, chance.choice(choices)))
            yield f"student{number:02}", lesson, answers


def notebook(cells: list) -> nbformat.NotebookNode:
    """A notebook that imports what the lessons import, and then holds these cells."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    first = nbformat.v4.new_code_cell(_IMPORTS, id="imports")
    return nbformat.v4.new_notebook(cells=[first, *cells], metadata=kernel)


def test(exercise: str) -> str:
    """A line that is true when the answer passes: what the author of a course writes for nbgrader and otter."""
    names = ", ".join(f"{name}={name}" for name in lessons.exercises()[exercise].names)
    return f"right({exercise!r}, {names})"
