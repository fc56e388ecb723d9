"""Messages about the fault that stopped a CUDA kernel."""

from __future__ import annotations

import ctypes
import re

from ..interpreter.address_space import OutOfBounds
from ..interpreter.state import EndlessKernel
from . import tools

_NUMBERS = "what access tensor block thread other other_wait line other_line size other_access".split()
# The same numbers as in state.h: What, Wait, Access.
OUTSIDE, NOWHERE, MISALIGNED, RACE = range(1, 5)
LEFT, APART, ABSENT, SOURCE, NOT_IN_MASK = range(5, 10)
BOUNDS, DIVISION, CRASH, TOO_MUCH, TRAP, GLOBAL, ENDLESS = range(10, 17)
_WIDEST = 60  # characters of a line that are quoted
_BARRIER, _WARP, _DONE = 1, 2, 3
_LOAD = 0

# Advice for errors in which g++ names text that the learner did not write.
_ADVICE = {
    "'std'": "C++'s own std is not there in a kernel; CUDA has fmaxf, max, __expf and others without it",
    "thread-local": "this name is declared with __shared__ in one place and without it in another",
    "nested-name-specifier": "there is a ':' where C++ takes none",
    "'cpu_line'": "the call has more arguments than this function takes",
}
_OPTION = re.compile(r" \[-f[-\w]+\]$")  # the option of g++ that would let the error pass
_PLACE = re.compile(r"'\*\((\w+) \+ .*'$")  # an element, as g++ writes it
_INFINITY = re.compile(r"^('inf(?:inity)?' was not declared in this scope)(?:; did you mean '\w+'\?)?$", re.IGNORECASE)


class Event(ctypes.Structure):
    """The runtime's record of a refused access or synchronisation: `Event` in state.h."""

    _fields_ = [(name, ctypes.c_int32) for name in _NUMBERS] + [
        ("offset", ctypes.c_int64), ("code", ctypes.c_uint64), ("other_code", ctypes.c_uint64)
    ]  # fmt: skip


class Stopped(RuntimeError):
    """A CUDA kernel does not compile, or a fault stopped it."""


def without_includes(source: str) -> str:
    """The text with emptied #include lines, so that line numbers stay: kernels need no headers, and there are none."""
    return re.sub(r"^[ \t]*#[ \t]*include\b.*$", "", source, flags=re.MULTILINE)


def unstored(counts, source: str, library: str) -> str:
    """A sentence about the first load of shared memory into which no thread of the block had stored."""
    line = tools.line(library, counts.unstored)
    at = f"{_quoted(source, line)}: " if line else ""
    return f"{at}thread {counts.thread} of block {counts.block} reads shared memory where no thread has stored"


def refused(said: str, source: str) -> Stopped:
    """The first error of g++, with the line of the learner's text."""
    said = re.sub(r"\\U([0-9a-f]{8})", lambda code: chr(int(code[1], 16)), said)  # a letter that g++ gives by its code
    errors = re.findall(r"^\S+:\d+:\d+: (?:fatal )?error: (.*)$", said, re.MULTILINE)
    todo = next((message for message in errors if "TODO" in message), None)
    if todo:
        return Stopped(todo)
    # The line of the error or, if it is one of cuda_on_cpu.h, the kernel's line that led to it.
    line = re.search(r"^kernel:(\d+):", said, re.MULTILINE)
    first = re.search(r"^(\S+):(\d+):\d+: (?:fatal )?error: ", said, re.MULTILINE)
    number = int(first[2]) if first and first[1] == "kernel" else int(line[1]) if line else 0
    message = errors[0].removeprefix("static assertion failed: ") if errors else said.strip().splitlines()[-1]
    message = message.replace("<brace-enclosed initializer list>", "{...}")
    message = _PLACE.sub(r"'\1[…]'", message)
    message = _INFINITY.sub(r"\1; did you mean 'INFINITY'?", _OPTION.sub("", message))
    advice = next((advice for word, advice in _ADVICE.items() if word in message), message)
    return Stopped(f"the compiler refuses {_quoted(source, number) if number else 'the kernel'}: {advice}")


def fail(event: Event, source: str, library: str, tensors: list) -> None:
    """Raise OutOfBounds, EndlessKernel or Stopped for an event.

    tensors: (name, tensor) of the kernel's tensors, in their order.
    """
    line = event.line or tools.line(library, event.code)
    at = f"{_quoted(source, line)}: " if line else ""
    who = f"thread {event.thread} of block {event.block}"
    verb = "loads from" if event.access == _LOAD else "stores to"
    where = {"op": "load" if event.access == _LOAD else "store", "program": [event.block, event.thread, 0]}
    if event.what in (OUTSIDE, MISALIGNED) and event.tensor >= 0:
        name, tensor = tensors[event.tensor]
        element, columns = event.offset // tensor.element_size(), tensor.shape[-1]
        where |= {"tensor": name, "row": element // columns, "column": element % columns, "first": element}
        place = f"{name} at row {element // columns}, column {element % columns} (element {element})"
        if event.what == OUTSIDE:
            size = " × ".join(map(str, tensor.shape))
            raise OutOfBounds(
                f"{at}{who} {verb} {place}, which is outside of it: {name} has {size} elements, numbered from 0",
                **where,
            )
        raise OutOfBounds(
            f"{at}{who} {verb} {place} with {event.size} bytes at once, but the address is no multiple of that",
            **where,
        )
    if event.what == RACE:
        raise OutOfBounds(f"{at}{who} {_race(event, line, source, library)}", tensor="shared memory", **where)
    if event.what == ENDLESS:
        steps = f"{event.offset:,} loads, stores and synchronisations"
        elements = sum(tensor.numel() for _, tensor in tensors)
        raise EndlessKernel(
            f"{at}{who} has made {steps}, and the tensors have {elements:,} elements: a loop in it does not end"
        )
    raise Stopped(at + _meeting(event, who) if event.what in (LEFT, APART, ABSENT) else at + _other(event, who, verb))


def _race(event: Event, line: int, source: str, library: str) -> str:
    """A sentence about a race. Its wording follows the order of the two accesses in the text, not in time."""
    other_line = tools.line(library, event.other_code)
    there = _quoted(source, other_line) if other_line != line else f"line {line}"
    other = f"thread {event.other}" + f" ({there})" * (other_line > 0)
    if event.access != _LOAD and event.other_access != _LOAD:
        did = f"stores another value to shared memory than {other} has stored there"
    elif event.access == _LOAD:
        did = f"{'still ' * (other_line > line)}reads shared memory that {other} has stored to"
    else:
        did = f"stores to shared memory that {other} has read{' already' * (other_line >= line)}"
    return f"{did}, and no barrier lies between"


def _meeting(event: Event, who: str) -> str:
    waits = "at a __syncthreads()" if event.what != ABSENT else "for the other lanes of its mask"
    if event.other_wait == _DONE:
        does = "has returned"
    elif event.other_wait == _BARRIER:
        does = f"waits at the __syncthreads() in line {event.other_line}"
    else:
        does = f"waits for other lanes in line {event.other_line}"
    return f"{who} waits {waits} for ever: thread {event.other} {does}"


def _other(event: Event, who: str, verb: str) -> str:
    return {
        NOWHERE: f"{who} {verb} an address that belongs to no tensor and to no shared memory",
        MISALIGNED: f"{who} {verb} shared memory with {event.size} bytes at once, but the address is no multiple",
        SOURCE: f"{who} wants the value of thread {event.other}, which takes no part in this shuffle",
        NOT_IN_MASK: f"{who} is not in the mask of its own warp operation",
        BOUNDS: f"{who} uses index {event.offset} of an array"
        + (", which is behind its last place" if event.offset >= 0 else ", which is in front of its first place"),
        DIVISION: f"{who} divides an integer by zero",
        CRASH: f"{who} ran out of its stack",
        TRAP: f"{who} called __trap()",
        GLOBAL: f"{who} {verb} a variable that all blocks share, an address that belongs to no tensor and to no shared "
        "memory",
        TOO_MUCH: f"the kernel has {event.offset:,} bytes of shared memory, and a block may have {48 << 10:,}",
    }[event.what]


def _quoted(source: str, line: int) -> str:
    lines = source.splitlines()
    if not 1 <= line <= len(lines):
        return f"line {line}"
    text = lines[line - 1].strip()
    return f"line {line}, `{text if len(text) <= _WIDEST else text[:_WIDEST] + ' …'}`"
