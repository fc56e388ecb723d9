"""The line of a kernel at which the guard stopped it."""

from __future__ import annotations

import os
import sys
import traceback

from .. import environment
from ..sentence import Said, fault, kind_of, message


def with_its_line(error: BaseException) -> str:
    """The sentence of an OutOfBounds, and the line of the kernel, or of its helper, where it has one."""
    elsewhere = _elsewhere()
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.line for frame in frames if not frame.filename.startswith(elsewhere)]
    text = message(error)
    if not isinstance(text, Said) or not lines or not lines[-1]:
        return text
    return fault(kind_of(text), "{sentence} The line is `{line}`.", sentence=text, line=lines[-1])


def _elsewhere() -> tuple[str, ...]:
    """The beginnings of the names of files in which no kernel stands. NumPy gives the last one to its own frames."""
    packages = [package for name in ("triton", "numpy") if (package := sys.modules.get(name)) is not None]
    folders = [os.path.join(environment.ROOT, "grader"), *(package.__path__[0] for package in packages)]
    return *(os.path.join(folder, "") for folder in folders), "<__array_function__>"
