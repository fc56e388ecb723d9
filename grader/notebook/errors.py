"""Errors of a learner's own cells: an expected error becomes one sentence, others keep their traceback."""

from __future__ import annotations

import difflib
import os
import re
import traceback

from IPython.core.error import UsageError

from .. import environment
from ..language import say
from ..sentence import foreign, message, said


def tell(shell, kind, error, trace, tb_offset=None):
    """A handler for errors in cells, for IPython's set_custom_exc. It shows a sentence or the usual traceback."""
    if hasattr(error, "_render_traceback_") or isinstance(error, UsageError):  # a sentence already, as the first cell's
        return shell.showtraceback((kind, error, trace))
    sentence = _sentence(error) or _not_defined(shell, error, trace) or _without_the_course(shell, error, trace)
    if sentence is None:
        stack = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    else:
        stack = [say(sentence)]
    shell._showtraceback(kind, error, stack)
    return stack


def _not_defined(shell, error: BaseException, trace) -> str | None:
    """A sentence for a name that a cell itself uses, outside of its functions, before a cell has defined it."""
    *_, last = traceback.extract_tb(trace)
    if not isinstance(error, NameError) or last.name != "<module>" or not _cell(shell, last.filename):
        return None
    if difflib.get_close_matches(error.name or "", map(str, shell.user_ns), cutoff=0.8):
        return None  # a slip of the keyboard, whose place the traceback shows
    return said("Not yet: no cell that has run defines {name}. Write or run that cell, and come back.", name=error.name)


def _without_the_course(shell, error: BaseException, trace) -> str | None:
    """The learner's line and the error, for an error that went through modules of the course; None for any other."""
    from ..mistakes.errors import from_error
    from ..mistakes.registry import MISTAKES

    places = [(frame.filename, frame.line) for frame in traceback.extract_tb(trace)]
    places += getattr(error, "five_passes_places", [])  # of the process beside this one
    course = os.path.join(environment.ROOT, "grader", "")
    cells = [(cell, line) for file, line in places if (cell := _cell(shell, file))]
    if not cells or not any(file.startswith(course) for file, _ in places):
        return None
    where, line = cells[-1]
    if isinstance(error, KeyboardInterrupt):
        return said("{where}, in the line `{line}`: interrupted", where=where, line=line or "")
    found = {"type": type(error).__name__, "message": message(error), "line": line or ""}
    known = MISTAKES.get(from_error(found))
    # On lines of their own: the message of an exception is not put into another language, and these are.
    words = (
        said("\n{sentence}\nAsk yourself: {question}", sentence=known.sentence, question=known.question)
        if known
        else ""
    )
    return said(
        "{where}, in the line `{line}`: {type}: {message}.{words}",
        where=where,
        line=found["line"],
        type=found["type"],
        message=foreign.recognised(found["message"]),
        words=words,
    )


def _cell(shell, filename: str) -> str | None:
    """The cell whose code has this file name, as notebooks call it: "In [5]". None for any other code."""
    if hasattr(shell.compile, "format_code_name"):
        kind, name = shell.compile.format_code_name(filename) or ("", "")
        return re.sub(r"(?<=In)(?=\[)", " ", name) if kind == "Cell" else None
    texts = enumerate(shell.history_manager.input_hist_raw)  # IPython 7, which Colab has
    numbers = [n for n, text in texts if shell.compile.get_code_name(text, text, n) == filename]
    return f"In [{numbers[-1]}]" if numbers else None


def _sentence(error: BaseException) -> str | None:
    """The sentence for an error that the course expects, None for any other."""
    from ..interpreter import EndlessKernel, KernelMisuse, OutOfBounds
    from .kernel_line import with_its_line

    if todo := foreign.todo(str(error)):
        return said(
            "Not yet: this cell needs your answer to {todo}. Fill in its TODO, run it, and come back.", todo=todo[0]
        )
    missing = isinstance(error, (ModuleNotFoundError, NameError)) and environment.without_triton()
    if missing and re.fullmatch(r"triton(\..*)?|tl|.*_kernel", error.name or ""):
        return said(
            "Not here: {missing}. What needs only PyTorch runs here too: go on with the next cell.", missing=missing
        )
    if (
        not environment.interpreted()
        and not environment.has_gpu()
        and any(foreign.is_a(str(error), kind) for kind in ("no-driver", "outside-of-a-kernel"))
    ):
        return said(
            "Triton was imported before grader, so it wants a GPU. Restart the kernel and run the first cell first."
        )
    while not isinstance(error, (OutOfBounds, KernelMisuse, EndlessKernel)) and error.__cause__ is not None:
        error = error.__cause__  # PyTorch's own checks of an operator wrap its errors
    if isinstance(error, OutOfBounds):
        return said("Stopped before it happened: {error}", error=with_its_line(error))
    if isinstance(error, (KernelMisuse, EndlessKernel)):
        return said("Stopped: {error}", error=error)
    return None
