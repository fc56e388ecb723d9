"""Messages about the fault that stopped a CUDA kernel."""

from __future__ import annotations

import ctypes

from ..interpreter.address_space import OutOfBounds
from ..interpreter.state import EndlessKernel
from ..sentence import Said, fault, foreign, kind_of, said
from . import tools

_NUMBERS = "what access tensor block thread other other_wait spot other_spot size other_access".split()
# The same numbers as in state.h: What, Wait, Access.
OUTSIDE, NOWHERE, MISALIGNED, RACE = range(1, 5)
LEFT, APART, ABSENT, SOURCE, NOT_IN_MASK = range(5, 10)
BOUNDS, DIVISION, CRASH, TOO_MUCH, TRAP, GLOBAL, ENDLESS, OFF_THE_END = range(10, 18)
_WIDEST = 60  # characters of a line that are quoted
_BARRIER, _WARP, _DONE = 1, 2, 3
_LOAD = 0

# Advice for errors in which g++ names text that the learner did not write.
_ADVICE = {
    "about-std": said("C++'s own std is not there in a kernel; CUDA has fmaxf, max, __expf and others without it"),
    "about-a-header": said(
        "what only a header brings is not there in a kernel; "
        "CUDA has __syncthreads, __shfl_xor_sync and others without it"
    ),
    "shared-and-not": said("this name is declared with __shared__ in one place and without it in another"),
    "colon": said("there is a ':' where C++ takes none"),
    "call-with-a-place": said("the call has more arguments than this function takes"),
}


class Event(ctypes.Structure):
    """The runtime's record of a refused access or synchronisation: `Event` in state.h."""

    _fields_ = [(name, ctypes.c_int32) for name in _NUMBERS] + [
        ("offset", ctypes.c_int64), ("code", ctypes.c_uint64), ("other_code", ctypes.c_uint64)
    ]  # fmt: skip

    @property
    def line(self) -> int:
        """The line of the call in which the thread waits; 0 where it waits in none."""
        return self.spot >> 12

    @property
    def other_line(self) -> int:
        """The same, of the other thread."""
        return self.other_spot >> 12


class Stopped(RuntimeError):
    """A CUDA kernel does not compile, or a fault stopped it."""


def no_kernel(function: str) -> Stopped:
    """The exception about a text without this kernel."""
    first = f'extern "C" __global__ void {function}(...)'
    return Stopped(
        fault("no-kernel", "there is no kernel {function}: its first line is {first}", function=function, first=first)
    )


def unstored(counts, source: str, library: str) -> str:
    """A sentence of its own about the first load of shared memory into which no thread of the block had stored."""
    place = {"thread": counts.thread, "block": counts.block}
    line = tools.line(library, counts.unstored)
    if not line:
        return said("Thread {thread} of block {block} reads shared memory where no thread has stored", **place)
    return said(
        "Line {number}, `{line}`: thread {thread} of block {block} reads shared memory where no thread has stored",
        number=line,
        line=_text(source, line),
        **place,
    )


def refused(output: str, source: str) -> Stopped:
    """The first error of g++, with the line of the learner's text."""
    number, message = foreign.first_error(output)
    if foreign.todo(message):
        return Stopped(message)
    advice = next((advice for kind, advice in _ADVICE.items() if foreign.is_a(message, kind)), message)
    return Stopped(
        fault(
            "refused",
            "the compiler refuses {value}: {advice}",
            value=_quoted(source, number) if number else said("the kernel"),
            advice=foreign.recognised(advice),
        )
    )


def fail(event: Event, source: str, library: str, tensors: list) -> None:
    """Raise OutOfBounds, EndlessKernel or Stopped for an event.

    tensors: (name, tensor) of the kernel's tensors, in their order.
    """
    line = event.line or tools.line(library, event.code)
    at = said("{line}: ", line=_quoted(source, line)) if line else ""
    who = said("thread {thread} of block {block}", thread=event.thread, block=event.block)
    loads = event.access == _LOAD
    where = {"op": "load" if loads else "store", "program": [event.block, event.thread, 0]}
    if event.what in (OUTSIDE, MISALIGNED) and event.tensor >= 0:
        name, tensor = tensors[event.tensor]
        element, columns = event.offset // tensor.element_size(), tensor.shape[-1]
        where |= {"tensor": name, "row": element // columns, "column": element % columns, "first": element}
        place = said(
            "{name} at row {value}, column {value2} (element {element})",
            name=name,
            value=element // columns,
            value2=element % columns,
            element=element,
        )
        values = {"at": at, "who": who, "place": place, "name": name}
        if event.what == OUTSIDE:
            size = " × ".join(map(str, tensor.shape))
            raise OutOfBounds(
                fault(
                    "outside",
                    "{at}{who} loads from {place}, which is outside of it: {name} has {size} elements, numbered from 0",
                    **(values | {"size": size}),
                )
                if loads
                else fault(
                    "outside",
                    "{at}{who} stores to {place}, which is outside of it: {name} has {size} elements, numbered from 0",
                    **(values | {"size": size}),
                ),
                **where,
            )
        raise OutOfBounds(
            fault(
                "misaligned",
                "{at}{who} loads from {place} with {size} bytes at once, but the address is no multiple of that",
                **(values | {"size": event.size}),
            )
            if loads
            else fault(
                "misaligned",
                "{at}{who} stores to {place} with {size} bytes at once, but the address is no multiple of that",
                **(values | {"size": event.size}),
            ),
            **where,
        )
    if event.what == RACE:
        raise OutOfBounds(_race(event, at, who, line, source, library), tensor="shared memory", **where)
    if event.what == ENDLESS:
        steps = said("{offset} loads, stores and synchronisations", offset=f"{event.offset:,}")
        elements = sum(tensor.numel() for _, tensor in tensors)
        raise EndlessKernel(
            said(
                "{at}{who} has made {steps}, and the tensors have {elements} elements: a loop in it does not end",
                at=at,
                who=who,
                steps=steps,
                elements=f"{elements:,}",
            )
        )
    what = _meeting(event, who) if event.what in (LEFT, APART, ABSENT) else _other(event, who, loads)
    raise Stopped(fault(kind_of(what), "{at}{what}", at=at, what=what) if line else what)


def _race(event: Event, at: str, who: str, line: int, source: str, library: str) -> Said:
    """A sentence about a race. Its wording follows the order of the two accesses in the text, not in time."""
    other_line = tools.line(library, event.other_code)
    there = _quoted(source, other_line) if other_line != line else fault("same-line", "line {line}", line=line)
    other = said("thread {other}", other=event.other)
    if other_line > 0:
        other = said("thread {other} ({there})", other=event.other, there=there)
    if event.access != _LOAD and event.other_access != _LOAD:
        did = fault(
            "race-stored-over",
            "{who} stores another value to shared memory than {other} has stored there",
            who=who,
            other=other,
        )
    elif event.access == _LOAD:
        did = (
            fault("race-still-read", "{who} still reads shared memory that {other} has stored to", who=who, other=other)
            if other_line > line
            else fault("race-read", "{who} reads shared memory that {other} has stored to", who=who, other=other)
        )
    else:
        did = (
            fault("race-stored", "{who} stores to shared memory that {other} has read already", who=who, other=other)
            if other_line >= line
            else fault("race-stored-soon", "{who} stores to shared memory that {other} has read", who=who, other=other)
        )
    return fault(kind_of(did), "{at}{did}, and no barrier lies between", at=at, did=did)


def _meeting(event: Event, who: str) -> str:
    if event.other_wait == _DONE:
        does = said("has returned")
    elif event.other_wait == _BARRIER and event.other_line == event.line:
        does = fault("at-a-barrier", "waits at another __syncthreads() of the same line")
    elif event.other_wait == _BARRIER:
        does = fault("at-a-barrier", "waits at the __syncthreads() in line {other_line}", other_line=event.other_line)
    else:
        does = said("waits for other lanes in line {other_line}", other_line=event.other_line)
    if event.what == ABSENT:
        return fault(
            "lanes",
            "{who} waits for the other lanes of its mask for ever: thread {other} {does}",
            who=who,
            other=event.other,
            does=does,
        )
    return fault(
        "barrier",
        "{who} waits at a __syncthreads() for ever: thread {other} {does}",
        who=who,
        other=event.other,
        does=does,
    )


def _other(event: Event, who: str, loads: bool) -> Said:
    size = event.size
    return {
        NOWHERE: (
            fault("nowhere", "{who} loads from an address that belongs to no tensor and to no shared memory", who=who)
            if loads
            else fault(
                "nowhere", "{who} stores to an address that belongs to no tensor and to no shared memory", who=who
            )
        ),
        MISALIGNED: (
            fault(
                "misaligned",
                "{who} loads from shared memory with {size} bytes at once, but the address is no multiple",
                who=who,
                size=size,
            )
            if loads
            else fault(
                "misaligned",
                "{who} stores to shared memory with {size} bytes at once, but the address is no multiple",
                who=who,
                size=size,
            )
        ),
        SOURCE: fault(
            "shuffle",
            "{who} wants the value of thread {other}, which takes no part in this shuffle",
            who=who,
            other=event.other,
        ),
        NOT_IN_MASK: fault("own-mask", "{who} is not in the mask of its own warp operation", who=who),
        BOUNDS: (
            fault(
                "index",
                "{who} uses index {offset} of an array, which is behind its last place",
                who=who,
                offset=event.offset,
            )
            if event.offset >= 0
            else fault(
                "index",
                "{who} uses index {offset} of an array, which is in front of its first place",
                who=who,
                offset=event.offset,
            )
        ),
        DIVISION: fault("division", "{who} divides an integer by zero", who=who),
        CRASH: said("{who} ran out of its stack", who=who),
        TRAP: said("{who} called __trap()", who=who),
        OFF_THE_END: said("{who} comes to the end of a function that returns nothing: a return is missing", who=who),
        GLOBAL: (
            fault(
                "nowhere",
                "{who} loads from a variable that all blocks share, an address that belongs to no tensor and to no "
                "shared memory",
                who=who,
            )
            if loads
            else fault(
                "nowhere",
                "{who} stores to a variable that all blocks share, an address that belongs to no tensor and to no "
                "shared memory",
                who=who,
            )
        ),
        TOO_MUCH: fault(
            "shared-size",
            "the kernel has {offset} bytes of shared memory, and a block may have {value}",
            offset=f"{event.offset:,}",
            value=f"{48 << 10:,}",
        ),
    }[event.what]


def _quoted(source: str, line: int) -> str:
    lines = source.splitlines()
    if not 1 <= line <= len(lines):
        return said("line {line}", line=line)
    return said("line {line}, `{value}`", line=line, value=_text(source, line))


def _text(source: str, line: int) -> str:
    """A line of the kernel, cut where it is long; "" where the text has no such line."""
    text = "".join(source.splitlines()[line - 1 : line]).strip()
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} …"
