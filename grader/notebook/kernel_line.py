"""The line of a kernel at which the guard stopped it."""

from __future__ import annotations

import os
import sysconfig
import traceback

from .. import environment
from ..sentence import Said, fault, kind_of, message

# Where Triton and NumPy are installed, and a name that NumPy gives to its own frames.
_ELSEWHERE = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), "<__array_function__")


def with_its_line(error: BaseException) -> str:
    """The sentence of an OutOfBounds, and the line of the kernel, or of its helper, where it has one."""
    course = os.path.join(environment.ROOT, "grader", "")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.line for frame in frames if not frame.filename.startswith((course, *_ELSEWHERE))]
    text = message(error)
    if not isinstance(text, Said) or not lines or not lines[-1]:
        return text
    return fault(kind_of(text), "{sentence} The line is `{line}`.", sentence=text, line=lines[-1])
