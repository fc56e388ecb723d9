"""The functions of a preprocessed text: who may call them, what a kernel takes, and for how many threads it is made.

To NVCC and NVRTC, a function without __device__ and without __global__ is one of the host, which no kernel can call.
g++ knows no such difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_TYPES = ("struct", "class", "union", "enum")
_OF_THE_DEVICE = ("__device__", "__global__", "constexpr")  # what is constant is called by the compiler
_NO_NAMES = "alignas decltype noexcept requires __align__ __launch_bounds__ if for while switch".split()
MOST_THREADS = "cpu_most_threads_of_"  # in front of a kernel's name: the constant that `with_bounds` makes
_BOUNDS = re.compile(r"\b__launch_bounds__\s*\(((?:[^()]|\([^()]*\))*)\)(?=[^;{}()]*?\b(\w+)\s*\()")

_BLANK = re.compile(r"(?:\s|# \d+ \"kernel\"\n)*")
# Types of a parameter that are not of 32 bits, or no integer.
_OTHER_TYPES = frozenset("long size_t ptrdiff_t int64_t uint64_t intptr_t uintptr_t ulong float double".split())


class _Function(NamedTuple):
    """A function that is defined outside of all others.

    name, parameters: of it, the second with their brackets. head, body, end: indices of words.
    """

    name: str
    parameters: list[str]
    head: int
    body: int
    end: int
    of_the_device: bool


def parameters(words: list[str], kernel: str) -> list[list[str]] | None:
    """The words of each parameter of a kernel; None where the text defines no such function, or several."""
    found = [each.parameters for each in _defined(words)[0] if each.name == kernel]
    if len(found) != 1:
        return None
    made, depth = [[]], 0
    for word in found[0]:
        depth -= word in (")", "]", ">")
        if depth == 0 and word == ")":
            break
        if depth == 1 and word == ",":
            made.append([])
        elif depth:
            made[-1].append(word)
        depth += word in ("(", "[", "<")
    return [] if made in ([[]], [["void"]]) else made


def is_an_int(parameter: list[str]) -> bool:
    """Whether a parameter may be an integer of 32 bits, as far as its words tell."""
    return not _OTHER_TYPES & set(parameter)


def of_the_host(words: list[str]) -> Iterator[tuple[int, str]]:
    """(index of its first word, name) of each function of the host that one of the device calls.

    words: the tokens of a preprocessed text, without blanks.
    """
    functions, declared = _defined(words)
    named = declared | {each.name for each in functions if each.of_the_device}
    bodies = [words[each.body : each.end] for each in functions if each.of_the_device]
    called = {name for body in bodies for name, behind in zip(body, body[1:]) if behind in ("(", "<")}
    for each in functions:
        if each.name in called - named:
            yield each.head, each.name


def _defined(words: list[str]) -> tuple[list[_Function], set[str]]:
    """The functions that a text defines in namespaces and classes; the names that it declares for the device."""
    functions, declared = [], set()
    start = i = 0
    while i < len(words):
        head = words[start:i]
        if words[i] in (";", "{") and (at := _name(head)) is not None:
            of_the_device = bool(set(_OF_THE_DEVICE) & set(head))
            if words[i] == ";":
                declared |= {head[at]} if of_the_device else set()
            else:
                end = _end(words, i)
                functions.append(_Function(head[at], head[at + 1 :], start, i, end, of_the_device))
                i = end
            start = i + 1
        elif words[i] == "{" and not _goes_on_inside(head):
            i = _end(words, i)
        elif words[i] in (";", "{", "}"):
            start = i + 1
        i += 1
    return functions, declared


def _goes_on_inside(head: list[str]) -> bool:
    """Whether the bracket behind these words is that of a namespace, of a class or of `extern "C"`."""
    return not head or "namespace" in head or head[0] == "extern" and len(head) == 2 or bool(set(_TYPES) & set(head))


def _name(head: list[str]) -> int | None:
    """The index of a function's name in the words in front of its body; None where they are of something else."""
    i = 0
    while head[i : i + 2] == ["template", "<"]:
        i, depth = i + 2, 1
        while depth and i < len(head):
            depth += (head[i] == "<") - (head[i] == ">")
            i += 1
    for at in range(i, len(head) - 1):
        if head[at] in ("=", "operator", "["):
            return None
        if head[at + 1] == "(" and re.fullmatch(r"[^\W\d]\w*", head[at]) and head[at] not in _NO_NAMES:
            return at
    return None


def _end(words: list[str], i: int) -> int:
    """The index of the bracket that closes the one at i."""
    depth = 0
    for at in range(i, len(words)):
        depth += (words[at] == "{") - (words[at] == "}")
        if depth == 0:
            return at
    return len(words) - 1


def with_bounds(text: str) -> str:
    """The text with a constant in front of each kernel with __launch_bounds__: the threads that it takes at most."""
    seen: set[str] = set()

    def marked(found: re.Match) -> str:
        start = _BLANK.match(text, max(text.rfind(end, 0, found.start()) for end in ";{}") + 1).end()
        if found[2] in seen or "template" in text[start : found.start()]:
            return ""
        seen.add(found[2])
        most = found[1].partition(",")[0] if "(" not in found[1] else found[1]
        places.append((start, f'extern "C" __global__ const int {MOST_THREADS}{found[2]} = ({most}); '))
        return ""

    places: list[tuple[int, str]] = []
    _BOUNDS.sub(marked, text)
    for start, constant in sorted(places, reverse=True):
        text = text[:start] + constant + text[start:]
    return text
