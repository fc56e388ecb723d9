"""The first error in the output of g++ or of NVRTC, in as few words as tell what is wrong."""

from __future__ import annotations

import re

from .kinds import todo

_ERROR = re.compile(r"^(\S+):(\d+):\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_KERNEL = re.compile(r"^kernel:(\d+):", re.MULTILINE)
_LETTER = re.compile(r"\\U([0-9a-f]{8})")  # that g++ gives by its code
_OPTION = re.compile(r" \[-f[-\w]+\]$")  # the option of g++ that would let the error pass
_PLACE = re.compile(r"'\*\((\w+) \+ .*'$")  # an element, as g++ writes it
_INFINITY = re.compile(r"^('inf(?:inity)?' was not declared in this scope)(?:; did you mean '\w+'\?)?$", re.IGNORECASE)


def names_a_line(output: str) -> bool:
    """Whether an output of g++ is about a text, and not about g++ itself."""
    return _ERROR.search(output) is not None


def first_error(output: str) -> tuple[int, str]:
    """(the kernel's line, the message) of the first error in an output of g++. The line is 0 where it names none.

    A gap of an answer tells itself by a #error or a static_assert: its message is the one that counts. For an error in
    a file of the course it is the kernel's line that led to it.
    """
    output = _LETTER.sub(lambda code: chr(int(code[1], 16)), output)
    errors = _ERROR.findall(output)
    for _, _, message in errors:
        if todo(message):
            return 0, message
    led = _KERNEL.search(output)
    line = int(errors[0][1]) if errors and errors[0][0] == "kernel" else int(led[1]) if led else 0
    message = errors[0][2].removeprefix("static assertion failed: ") if errors else output.strip().splitlines()[-1]
    message = message.replace("<brace-enclosed initializer list>", "{...}")
    message = _OPTION.sub("", _PLACE.sub(r"'\1[…]'", message))
    return line, _INFINITY.sub(r"\1; did you mean 'INFINITY'?", message)


def of_nvrtc(output: str) -> str:
    """The line of NVRTC's output with the first error: warnings may come before it."""
    lines = output.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0])
