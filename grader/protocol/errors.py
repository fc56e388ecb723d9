"""Exceptions on the wire: an exception as plain data, and an exception like it on the other side."""

from __future__ import annotations

import builtins
import dis
import traceback
import types

from ..sentence import Said, foreign, message, tree
from ..spec import Error
from . import schema


def describe(error: BaseException, path: str) -> Error:
    """An exception as plain data. Clears its frames, so that they free memory.

    path: the beginning of the names of the files whose last line in the traceback is reported.
    """
    stack = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(path)]
    line = getattr(error, "line", "") if type(error).__name__ == "RefusedLine" else ""
    if stack:
        line = stack[-1].line or ""
    text, raised = _message(error), False
    if error.__traceback__ is not None:
        raised, wordless = _raised(error, path)
        text = "" if wordless else text
    if isinstance(error, SyntaxError):
        line = (error.text or "").strip()
        text = error.msg if isinstance(error.msg, Said) else str(error.msg)
    traceback.clear_frames(error.__traceback__)
    todo = foreign.todo(text)
    text = text if len(text) <= 2000 else text[-2000:]
    return {
        "type": type(error).__name__, "kinds": [c.__name__ for c in type(error).__mro__],
        "message": text,  # type: ignore[typeddict-item]  # plain where it is not the engine's
        "line": str(line) if len(str(line)) <= 200 else f"{str(line)[:200]} …",
        "kernel": bool(stack) and path.startswith("<kernel "),
        "raised": raised,
        "todo": todo,
        "where": getattr(error, "where", None) if type(error).__name__ == "OutOfBounds" else None,
    }  # fmt: skip


def _raised(error: BaseException, path: str) -> tuple[bool, bool]:
    """(whether a statement of a file under `path` raised the error, whether torch._check had to find the words)."""
    places = list(traceback.walk_tb(error.__traceback__))
    last, test = error.__traceback__, places[-1][0]
    while last.tb_next is not None:
        last = last.tb_next
    if test.f_code.co_name == "_check_with" and test.f_globals.get("__name__") == "torch":
        while places and places[-1][0].f_globals.get("__name__") == "torch":
            places.pop()
        message = test.f_locals.get("message")
        meant = test.f_locals.get("cond") is False and (message is None or callable(message))
        return meant and bool(places) and places[-1][0].f_code.co_filename.startswith(path), message is None
    return test.f_code.co_filename.startswith(path) and _by_statement(last), False


def _by_statement(place: types.TracebackType) -> bool:
    """Whether the innermost place of a traceback is a raise or an assert, and no operation that failed."""
    return dis.opname[place.tb_frame.f_code.co_code[place.tb_lasti]] == "RAISE_VARARGS"


def _message(error: BaseException) -> str:
    try:
        if isinstance(text := message(error), Said):
            return text
        return foreign.unwrapped(text)
    except BaseException:
        return ""


def packed(error: Error) -> dict:
    """An error as JSON data, for `exception` and for replies."""
    return schema.pack(error, Error)


def exception(described: Error) -> Exception:
    """An exception like the one that was described: of the builtin type of that name, or of a subclass so named.

    described: JSON data of an Error. Raises NoSentence for a message of another form.
    """
    said = tree.unpack(described["message"])
    for name in (described["type"], *described["kinds"]):
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            break
    else:
        kind = RuntimeError
    if kind.__name__ != described["type"] and described["type"].isidentifier():
        kind = type(described["type"], (kind,), {})
    try:
        return kind(said)
    except TypeError:  # such as UnicodeDecodeError, which takes five arguments
        return RuntimeError(said)
