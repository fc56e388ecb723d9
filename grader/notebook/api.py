"""The functions for every exercise in a notebook: check, hint, progress."""

from __future__ import annotations

import os

_hints_open: dict[str, int] = {}


def check(exercise_id: str = ""):
    """Check your answer to an exercise, such as check("4.1"), and print the result.

    The answer is taken from the cells that you have run. You may check as often as you like, in any order.
    """
    from ..judge import extract
    from ..judge.judge import judge
    from . import history, progress_store

    exercise = _find(exercise_id)
    if exercise is None:
        return None
    answer = extract.extract(history.session_cells(), exercise.names, history.names_of_cells())
    result = judge(exercise, answer)
    print(result.text)
    if result.status != "not_attempted":
        progress_store.remember(exercise.id, result.score)
    # nbgrader reads a number in the output of a cell as its score. Learners have the score in the text already.
    return result.score if os.environ.get("NBGRADER_EXECUTION") else None


def hint(exercise_id: str = "") -> None:
    """Print the hints of an exercise, one more with each call: the idea, then the place, then the form of the line."""
    exercise = _find(exercise_id)
    if exercise is None:
        return
    level = _hints_open[exercise.id] = min(_hints_open.get(exercise.id, 0) + 1, len(exercise.hints))
    for number, text in enumerate(exercise.hints[:level], 1):
        print(f"{exercise.id}  hint {number} of {len(exercise.hints)}: {text}")
    if level == len(exercise.hints):
        print("     That was the last hint.")


def progress(save: str | None = None) -> None:
    """Print your progress: points by lesson, the exercises that you have checked, and the next exercise.

    save: path of a JSON file to write it to, for example for an instructor. It has the results of the public checks.
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
