"""The line of a kernel at which the guard stopped it."""

from __future__ import annotations

import functools
import importlib.util
import os
import traceback

from .. import environment
from ..sentence import Said, fault, kind_of, message

_LIBRARIES = ("triton", "torch", "numpy")
_NO_FILES = ("<frozen", "<__array_function__")  # of Python's own frames, and of NumPy's


def with_its_line(error: BaseException) -> str:
    """The sentence of an OutOfBounds, and the line of the kernel, or of its helper, where it has one."""
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__) if is_theirs(frame.filename)]
    text = message(error)
    if not isinstance(text, Said) or not lines or not lines[-1]:
        return text
    return fault(kind_of(text), "{sentence} The line is `{line}`.", sentence=text, line=lines[-1])


def is_theirs(file: str) -> bool:
    """Whether a file may hold somebody's kernel: it is neither of the course nor of a library that runs kernels."""
    return not file.startswith(_elsewhere())


@functools.cache
def _elsewhere() -> tuple[str, ...]:
    """The beginnings of the names of the other files."""
    found = [importlib.util.find_spec(name) for name in _LIBRARIES]
    folders = [os.path.dirname(spec.origin) for spec in found if spec is not None]
    return (*_NO_FILES, *(os.path.join(folder, "") for folder in (environment.ROOT / "grader", *folders)))
