"""What a learner calls in a notebook: check, hint, progress."""

from __future__ import annotations

import os
import re

from . import machine

_hints_open: dict[str, int] = {}


def check(exercise_id: str = ""):
    """Check your answer to an exercise, such as check("4.1"), and say what was found.

    The answer is taken from the cells you have run. It may be checked as often as you like, in any order.
    """
    from . import answer, scores
    from .judge import judge

    exercise = _find(exercise_id)
    if exercise is None:
        return None
    result = judge(exercise, answer.extract(answer.session_cells(), exercise.names))
    print(result.text)
    if result.status != "not_attempted":
        scores.remember(exercise.id, result.score)
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
    from . import scores

    print(scores.table())
    if save is not None:
        try:
            print(scores.save(save))
        except OSError as error:
            print(f"Nothing was saved: {save} cannot be written ({error.strerror}).")


def start() -> None:
    """Make this process ready: choose the mode, guard the interpreter, and warm the workers in a notebook."""
    from . import answer, describe, interpreter

    machine.prepare()
    if machine.interpreted():
        interpreter.install()
    shell = _shell()
    if shell is not None:
        answer.record(shell)
        shell.set_custom_exc((Exception,), _tell)
        shell.display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", describe.bundle)
        from . import pool

        pool.warm("interpreted", "compiled")


def _shell():
    """The running IPython, None outside of a notebook. IPython is asked for only where it is loaded already."""
    import sys

    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()


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
    missing = isinstance(error, (ModuleNotFoundError, NameError)) and machine.without_triton()
    if missing and re.fullmatch(r"triton(\..*)?|tl|.*_kernel", error.name or ""):
        return f"Not here: {missing}. What needs only PyTorch runs here too: go on with the next cell."
    if (
        not machine.interpreted()
        and not machine.has_gpu()
        and re.search(r"active drivers|scope of a kernel", str(error))
    ):
        return "Triton was imported before grader, so it wants a GPU. Restart the kernel and run the first cell first."
    if isinstance(error, OutOfBounds):
        return f"Stopped before it happened: {error}"
    if isinstance(error, KernelMisuse):
        return f"Stopped: {error}"
    return None
