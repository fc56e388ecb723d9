"""What a learner calls in a notebook: check, hint, progress. Keeps the session's state."""

from __future__ import annotations

import json
import os
import pathlib
import re

from . import machine

# Where progress is kept between sessions; "off" keeps it in memory alone.
_PROGRESS_VARIABLE = "FIVE_PASSES_PROGRESS"

_hints_open: dict[str, int] = {}
_scores: dict[str, float] = {}


def check(exercise_id: str = ""):
    """Check your answer to an exercise, such as check("4.1"), and say what was found.

    The answer is taken from the cells you have run. It may be checked as often as you like, in any order.
    """
    from . import answer
    from .judge import judge

    exercise = _find(exercise_id)
    if exercise is None:
        return None
    result = judge(exercise, answer.extract(answer.session_cells(), exercise.names))
    print(result.text)
    if result.status != "not_attempted":
        _remember(exercise.id, result.score)
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


def progress() -> None:
    """Show the course: points so far, lesson by lesson, and the exercises of the lessons you have begun."""
    from . import lessons

    scores = _stored() | _scores
    total = possible = 0.0
    for number, (slug, points) in lessons.OUTLINE.items():
        exercises = lessons.of_lesson(number)
        if not exercises:
            continue
        mine = sum(scores.get(e.id, 0) for e in exercises)
        total, possible = total + mine, possible + points
        bar = "█" * round(10 * mine / points) + "·" * (10 - round(10 * mine / points))
        done = "".join(f"  {e.id} {'✓' if scores[e.id] else '✗'}" for e in exercises if e.id in scores)
        print(f"{number}  {slug:<20} {bar}  {mine:g} of {points} points{done}")
    print(f"    {'in all':<20} {total:g} of {possible:g} points")


def start() -> None:
    """Make this process ready: choose the mode, guard the interpreter, and warm the workers in a notebook."""
    from . import answer, interpreter

    machine.prepare()
    if machine.interpreted():
        interpreter.install()
    shell = _shell()
    if shell is not None:
        answer.record(shell)
        shell.set_custom_exc((Exception,), _tell)
        _warm()


def _shell():
    """The running IPython, None outside of a notebook. IPython is asked for only where it is loaded already."""
    import sys

    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()


def _warm() -> None:
    from . import pool

    for mode in ("interpreted", "compiled"):
        try:
            pool.zygote(mode)
        except (pool.NoWorker, OSError):
            return  # the first check will say what is wrong


def _find(exercise_id: str):
    from . import lessons

    exercise = lessons.exercises().get(str(exercise_id))
    if exercise is None:
        print(f"There is no exercise {exercise_id!r}. There are: {', '.join(lessons.exercises())}.")
    return exercise


def _tell(shell, kind, error, trace, tb_offset=None):
    """IPython's handler for errors in cells: those the course expects become a sentence, the rest stay as they are."""
    sentence = _sentence(error)
    if sentence is None:
        stack = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    else:
        stack = [sentence]
    shell._showtraceback(kind, error, stack)
    return stack


def _sentence(error: BaseException) -> str | None:
    from .interpreter import KernelMisuse, OutOfBounds

    todo = re.search(r"TODO (\d+\.\d+)", str(error))
    if todo:
        return f"Not yet: this cell needs your answer to {todo[1]}. Fill in its TODO, run it, and come back."
    if (
        not machine.interpreted()
        and not machine.has_gpu()
        and re.search(r"active drivers|scope of a kernel", str(error))
    ):
        return "Triton was imported before grader, so it wants a GPU. Restart the kernel and run the first cell first."
    if isinstance(error, OutOfBounds):
        return f"Stopped before it happened: {error}"
    if isinstance(error, KernelMisuse):
        return f"Not launched: {error}"
    return None


def _progress_file() -> pathlib.Path | None:
    chosen = os.environ.get(_PROGRESS_VARIABLE)
    if chosen == "off":
        return None
    return pathlib.Path(chosen) if chosen else pathlib.Path(__file__).resolve().parent.parent / ".progress.json"


def _stored() -> dict[str, float]:
    file = _progress_file()
    try:
        data = json.loads(file.read_text()) if file else {}
        return {k: float(v) for k, v in data.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _remember(exercise_id: str, score: float) -> None:
    _scores[exercise_id] = score
    file = _progress_file()
    if file is None:
        return
    try:
        beside = file.with_suffix(".new")
        beside.write_text(json.dumps(_stored() | _scores))
        beside.replace(file)
    except OSError:
        pass  # a read-only course still works; its progress lasts as long as the session
