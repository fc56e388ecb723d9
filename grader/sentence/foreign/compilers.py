"""The first error in the output of g++ or of NVRTC, in as few words as tell what is wrong."""

from __future__ import annotations

import re

from .kinds import todo

# Patterns; nothing is compiled before the first output comes.
_ERROR = r"(?m)^(\S+):(\d+):\d+: (?:fatal )?error: (.*)$"
_KERNEL = r"(?m)^kernel:(\d+):"
_LETTER = r"\\U([0-9a-f]{8})"  # that g++ gives by its code
_OPTION = r" \[-f[-\w]+\]$"  # the option of g++ that would let the error pass
_PLACE = r"'\*\((\w+) \+ .*'$"  # an element, as g++ writes it
_INFINITY = r"(?i)^('inf(?:inity)?' was not declared in this scope)(?:; did you mean '\w+'\?)?$"


def names_a_line(output: str) -> bool:
    """Whether an output of g++ is about a text, and not about g++ itself."""
    return re.search(_ERROR, output) is not None


def first_error(output: str) -> tuple[int, str]:
    """(the kernel's line, the message) of the first error in an output of g++. The line is 0 where it names none.

    A gap of an answer tells itself by a #error or a static_assert: its message is the one that counts. For an error in
    a file of the course it is the kernel's line that led to it.
    """
    output = re.sub(_LETTER, lambda code: chr(int(code[1], 16)), output)
    errors = re.findall(_ERROR, output)
    for _, _, message in errors:
        if todo(message):
            return 0, message
    led = re.search(_KERNEL, output)
    line = int(errors[0][1]) if errors and errors[0][0] == "kernel" else int(led[1]) if led else 0
    message = errors[0][2].removeprefix("static assertion failed: ") if errors else output.strip().splitlines()[-1]
    message = message.replace("<brace-enclosed initializer list>", "{...}")
    message = re.sub(_OPTION, "", re.sub(_PLACE, r"'\1[…]'", message))
    return line, re.sub(_INFINITY, r"\1; did you mean 'INFINITY'?", message)


def of_nvrtc(output: str) -> str:
    """The line of NVRTC's output with the first error: warnings may come before it."""
    lines = output.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0])
