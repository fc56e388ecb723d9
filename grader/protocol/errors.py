"""Exceptions on the wire: an exception as plain data, and an exception like it on the other side."""

from __future__ import annotations

import builtins
import re
import traceback

from ..spec import Error


def describe(error: BaseException, path: str) -> Error:
    """An exception as plain data. Clears its frames, so that they free memory.

    path: the beginning of the names of the files whose last line in the traceback is reported.
    """
    stack = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(path)]
    text = _message(error)
    if isinstance(error, SyntaxError):
        stack = [traceback.FrameSummary(path, error.lineno or 0, "", line=(error.text or "").strip())]
        text = str(error.msg)
    traceback.clear_frames(error.__traceback__)
    todo = re.search(r"TODO (\d+\.\d+)(?: \((\d+) of (\d+)\))?", text)
    return {
        "type": type(error).__name__, "kinds": [c.__name__ for c in type(error).__mro__], "message": text[-2000:],
        "line": (stack[-1].line or "")[:200] if stack else "",
        "todo": list(todo.groups()) if todo else None,
        "where": getattr(error, "where", None) if type(error).__name__ == "OutOfBounds" else None,
    }  # fmt: skip


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return ""


def exception(said: Error) -> Exception:
    """An exception like the one that was described: of the builtin type of that name, or of a subclass so named."""
    for name in (said["type"], *said["kinds"]):
        kind = getattr(builtins, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            break
    else:
        kind = RuntimeError
    if kind.__name__ != said["type"] and said["type"].isidentifier():
        kind = type(said["type"], (kind,), {})
    try:
        return kind(said["message"])
    except TypeError:  # such as UnicodeDecodeError, which takes five arguments
        return RuntimeError(said["message"])
