"""What a learner calls in a notebook: check, hint, progress."""

from __future__ import annotations

import os

_hints_open: dict[str, int] = {}


def check(exercise_id: str = ""):
    """Check your answer to an exercise, such as check("4.1"), and say what was found.

    The answer is taken from the cells you have run. It may be checked as often as you like, in any order.
    """
    from ..judge import extract
    from ..judge.judge import judge
    from . import history, progress_store

    exercise = _find(exercise_id)
    if exercise is None:
        return None
    result = judge(exercise, extract.extract(history.session_cells(), exercise.names))
    print(result.text)
    if result.status != "not_attempted":
        progress_store.remember(exercise.id, result.score)
    # nbgrader takes a number in the cell's output as the cell's score; learners need no second number.
    return result.score if os.environ.get("NBGRADER_EXECUTION") else None


def hint(exercise_id: str = "") -> None:
    """Open the next hint of an exercise: the idea first, then where to look, then the shape of the line."""
    exercise = _find(exercise_id)
    if exercise is None:
        return
    level = _hints_open[exercise.id] = min(_hints_open.get(exercise.id, 0) + 1, len(exercise.hints))
    for number, text in enumerate(exercise.hints[:level], 1):
        print(f"{exercise.id}  hint {number} of {len(exercise.hints)}: {text}")
    if level == len(exercise.hints):
        print("     That was the last hint.")


def progress(save: str | None = None) -> None:
    """Show the course: points lesson by lesson, the exercises you have checked, and what is next.

    save: a file to write the same to, as JSON, for whoever wants to see it. It holds what the public checks showed.
    """
    from . import progress_store

    print(progress_store.table())
    if save is not None:
        try:
            print(progress_store.save(save))
        except OSError as error:
            print(f"Nothing was saved: {save} cannot be written ({error.strerror}).")


def _find(exercise_id: str):
    from .. import lessons

    exercise = lessons.exercises().get(str(exercise_id))
    if exercise is None:
        print(f"There is no exercise {exercise_id!r}. There are: {', '.join(lessons.exercises())}.")
    return exercise
