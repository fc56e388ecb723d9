"""The functions for every exercise in a notebook: check, recall, race, hint, progress."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from ..language import say
from ..sentence import fault, joined, listed, said
from ..spec import Answer, Exercise, Result


def check(exercise_id: str = ""):
    """Check your answer to an exercise, such as check("4.1"), and show the result.

    The answer is taken from the cells that you have run, each with the text of its last run. You may check as often as
    you like, in any order: progress() keeps the best points.
    """
    from .. import environment
    from . import feedback

    exercise = _find(exercise_id)
    if exercise is None:
        return None
    answer = _answer(exercise)
    result = checked(exercise, answer)
    feedback.show(result, answer)
    environment.return_free_memory()  # now: the learner has the result, and reads
    # nbgrader reads a number in the output of a cell as its score. Learners have the score in the text already.
    return result.score if os.environ.get("NBGRADER_EXECUTION") else None


def checked(exercise: Exercise, answer: Answer) -> Result:
    """The verdict on an answer with the public inputs. Its points are kept, and the answer if it is right."""
    from ..judge.judge import judge
    from . import progress_store, right_answers

    result = judge(exercise, answer)
    if result.status != "not_attempted":
        progress_store.remember(exercise.id, result.score)
    if result.status == "passed":
        right_answers.remember(answer, result)
    elif result.status != "not_attempted":
        wrong = next((each for each in _built_on(exercise, answer) if _is_wrong(each, answer)), None)
        if wrong is not None:
            said_of_it = fault(
                "cells",
                "it uses {list}, which is your answer to {id}, and that one is not right yet",
                list=joined("{one} and {two}", wrong.names),
                id=wrong.id,
            )
            result = replace(result, flags=[*result.flags, said_of_it])
    return result


def _built_on(exercise: Exercise, answer: Answer) -> list[Exercise]:
    """The earlier exercises of the lesson whose answers are in this one, because it uses them."""
    from .. import lessons
    from ..judge import extract

    defined = extract.definitions([answer.source])
    lesson = lessons.of_lesson(lessons.number_of(exercise.id))
    earlier = lesson[: [each.id for each in lesson].index(exercise.id)]
    return [each for each in earlier if all(defined[name] and name not in exercise.names for name in each.names)]


def _is_wrong(exercise: Exercise, answer: Answer) -> bool:
    """Whether the answer to an exercise that stands in an answer to another one fails its own check."""
    from ..judge import extract
    from ..judge.judge import judge

    return judge(exercise, extract.extract([answer.source], exercise.names)).status not in ("passed", "not_attempted")


def recall(exercise_id: str = "") -> None:
    """Put your last right answer to an exercise, such as recall("5.1"), into a new cell below this one, in any lesson.

    Right is what passed its check, in this notebook or in another one. Where there are no cells, it prints the answer.
    """
    from . import right_answers

    exercise = _find(exercise_id)
    if exercise is None:
        return
    answer = right_answers.kept().get(exercise.id)
    if answer is None:
        print(say(nothing_to_recall(exercise)))
    elif not _into_a_new_cell(answer.source):
        print(answer.source)
    else:
        in_cell = said(
            "Your right answer to {id} is in a new cell below this one: change it or not, and run it.", id=exercise.id
        )
        print(say(in_cell))


def nothing_to_recall(exercise: Exercise) -> str:
    """The sentence about an exercise of which no right answer is kept."""
    from .. import lessons

    return said(
        "No right answer of yours to {id} is kept here. Open lesson {lesson}, run the cells of your answer and "
        'check("{id}"): what passes is kept. Then run this cell again.',
        id=exercise.id,
        lesson=lessons.number_of(exercise.id),
    )


def _into_a_new_cell(text: str) -> bool:
    """Let the frontend of a notebook make a cell with this text, below that of earlier calls in the running cell.

    False where there is no such frontend. It does not import IPython.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if not hasattr(shell, "kernel"):
        return False
    asked = shell.payload_manager.read_payload()
    before = [payload["text"] for payload in asked if payload["source"] == "set_next_input"]  # at most one
    shell.set_next_input("\n\n\n".join([*before, text]))
    return True


def race(exercise_id: str = ""):
    """Time your answer to an exercise on the GPU of this machine, such as race("5.2"), beside a copy and its peers.

    The answer is taken as by check(), and has to pass that. Beside it run PyTorch's function, that function compiled,
    the five passes, the course's own answer, and answers of yours that raced before. The unit is the time of a copy of
    as many bytes as have to move at least. Without a GPU, it shows what was recorded of the course's answer.
    """
    from . import races

    exercise = _find(exercise_id)
    return None if exercise is None else races.enter(exercise, _answer(exercise))


def hint(exercise_id: str = "") -> None:
    """Print the hints of an exercise, one more with each call: the idea, then the place, then the form of the line."""
    from . import progress_store

    exercise = _find(exercise_id)
    if exercise is None:
        return
    level = progress_store.open_hint(exercise)
    for number, text in enumerate(exercise.hints[:level], 1):
        head = say(said("hint {number} of {count}:", number=number, count=len(exercise.hints)))
        print(f"{exercise.id}  {head}{' ' * head[-1].isascii()}{say(text)}")  # a wide colon has its own space
    if level == len(exercise.hints):
        print("     " + say(said("That was the last hint.")))


def progress(save: str | None = None) -> None:
    """Print your progress: points by lesson, the exercises that you have checked, and the next exercise.

    save: path of a JSON file to write it to, for example for an instructor. It has the results of the public checks.
    """
    from . import progress_store

    print(progress_store.table())
    if save is not None:
        try:
            print(say(progress_store.save(save)))
        except OSError as error:
            print(
                say(
                    said(
                        "Nothing was saved: {save} cannot be written ({strerror}).", save=save, strerror=error.strerror
                    )
                )
            )


def _answer(exercise):
    """The answer in the cells that ran, with a sentence for each name that a file may have otherwise."""
    from ..judge import extract
    from . import history

    cells = history.session_cells()
    answer = extract.extract(cells, exercise.names, history.names_of_cells())
    problems = list(answer.problems)
    count = extract.definitions(cells)
    gone = extract.undefined(cells, exercise.names) & set(extract.definitions(history.replaced_cells()))
    gone -= _defined_beside(cells, exercise.names)
    if gone:
        problems.append(
            fault(
                "cells",
                "the cell that defined {list} has another text now, and a check reads the cells as they are now, as a "
                "file keeps them",
                list=joined("{one} and {two}", sorted(gone)),
            )
        )
    for name in (name for name in exercise.names if count[name] > 1):
        several = sum(extract.definitions([text])[name] > 0 for text in history.cells_with_ids())
        if several > 1:
            problems.append(
                fault(
                    "cells",
                    "{several} cells define {name}: the one that ran last counts, and the lower one in a notebook "
                    "whose outputs were cleared",
                    several=several,
                    name=name,
                )
            )
    return replace(answer, problems=tuple(problems))


def _defined_beside(cells: list[str], names: tuple[str, ...]) -> set[str]:
    """What cells that define one of these names define as well. A loop both needs its counter and defines it."""
    from ..judge import extract

    found = (set(extract.definitions([cell])) for cell in cells)
    return {name for each in found if each & {*names} for name in each}


def _find(exercise_id: str) -> Exercise | None:
    from .. import lessons

    exercise = lessons.exercises().get(str(exercise_id))
    if exercise is None:
        print(say(no_exercise(exercise_id)))
    return exercise


def no_exercise(asked) -> str:
    """The sentence about an id that no exercise has, with those of its lesson, or all."""
    from .. import lessons

    asked = asked if isinstance(asked, (str, int, float)) else type(asked).__name__
    near = [each.id for each in lessons.of_lesson(lessons.number_of(str(asked)))] or lessons.exercises()
    return said("There is no exercise '{asked}'. There are: {list}.", asked=asked, list=listed(near))
