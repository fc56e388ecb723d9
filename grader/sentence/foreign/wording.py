"""Messages of Python, PyTorch and Triton as a learner reads them: one line, in words of ours where theirs say less."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from ..said import Said, said
from .kinds import is_a, name_in
from .templates import recognised

_LONGEST, _LONGEST_PRINTED = 300, 4000  # characters
# Patterns; nothing is compiled before the first message comes.
_RETURN = r" \(detected at line \d+\)"
_REPR = r"(?s)[A-Za-z_]\w*\((['\"].*['\"])\)"  # of an exception
_LAUNCH = r"^functools\.partial\(.*\) (?=got )"  # a launch of the interpreter's
_CONSTEXPR = r"'?constexpr\[(-?\d+)\]'?"
_PRINTED = r"\barray\(\[[^()]*\)|\[[-+\d.einfa\s\[\]]+\]"
_INNER = r"\b\w+\.<locals>\.(_new_)?"  # the course's own functions, which stand for Triton's
_TOO_MANY = r"multiple values for argument '_semantic'"  # the last one of Triton's functions
_LINE_OF_A_BLOCK = r"\n(?=a block\b)"
_EXPECTED = r", but expected .*$"  # all that PyTorch's function takes
_RECURSION = r"(?s)(?<=maximum recursion depth exceeded) (while|in) .*"  # where it happened to end
_LONG_TEXT = r"'([^']{60})[^']{20,}'"
_SAYS_FIRST = r"CUDA error|.*invalid combination of arguments"


def unwrapped(message: str) -> str:
    """A message without what the interpreter put around the answer's values: a launch, and constants of a kernel."""
    return re.sub(_CONSTEXPR, r"\1", re.sub(_LAUNCH, "the launch ", message))


def without_repr(message: str) -> str:
    """The message of an exception that another one quotes by its repr, and any other message as it is."""
    quoted = re.fullmatch(_REPR, message)
    return str(ast.literal_eval(quoted[1])) if quoted else message


def last_line(error: Mapping) -> str:
    """The most telling line of an error's message (spec.Error): the last, or the first of a list or of a CUDA error."""
    if isinstance(error["message"], Said):
        return error["message"]
    message = re.sub(_TOO_MANY, "too many arguments", re.sub(_INNER, "", error["message"]))
    message = re.sub(_RECURSION, "", message)
    if len(message) < _LONGEST_PRINTED:  # Triton's messages print whole blocks
        message = re.sub(_PRINTED, lambda found: "a block" if "\n" in found[0] else found[0], message)
        message = re.sub(_LINE_OF_A_BLOCK, " ", message)
    lines = [line for line in message.splitlines() if line.strip()]
    if not lines:
        return error["type"]
    first = re.match(_SAYS_FIRST, lines[0])
    line = re.sub(_LONG_TEXT, r"'\1 …'", " ".join(lines[0 if first else -1].split()))
    line = re.sub(_EXPECTED, "", line) if first else line
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def of_error(error: Mapping) -> str:
    """The message of an error (spec.Error). What an answer itself says in one stays as it is."""
    message = error["message"]
    return message if isinstance(message, Said) or error.get("raised") else recognised(message.strip())


def of_python(error: Exception, line: str) -> str:
    """Why Python cannot read a cell. line: of the cell, "" where Python names none."""
    message = re.sub(_RETURN, "", str(getattr(error, "msg", error)))
    if not line:
        return recognised(message)
    if message.endswith("?"):
        return said("{message} It is in the line `{line}`.", message=recognised(message), line=line[:120])
    return said("{message}, in the line `{line}`", message=recognised(message), line=line[:120])


def of_triton(message: str) -> str:
    """What Triton's compiler says of a kernel: its first sentence, in words of ours where its own say too little."""
    if isinstance(message, Said):
        return message
    first = message.partition(". ")[0]
    if left := name_in(first, "loop-left"):
        return said("Triton's language has no `{lower}`", lower=left.lower())
    if is_a(first, "no-called-range"):
        return said("a `for` takes a call, as that of range")
    return recognised(first)
