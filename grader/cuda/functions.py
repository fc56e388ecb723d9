"""The kernels of a preprocessed text: what each one takes, and for how many threads it is made."""

from __future__ import annotations

import re

_TYPES = ("struct", "class", "union", "enum")
_NO_NAMES = "alignas decltype noexcept requires __align__ __launch_bounds__ if for while switch".split()
MOST_THREADS = "cpu_most_threads_of_"  # in front of a kernel's name: the constant that `with_bounds` makes
_BOUNDS = re.compile(r"\b__launch_bounds__\s*\(((?:[^()]|\([^()]*\))*)\)(?=[^;{}()]*?\b(\w+)\s*\()")

_BLANK = re.compile(r"(?:\s|# \d+ \"kernel\"\n)*")
# Types of a parameter that are not of 32 bits, or no integer.
_OTHER_TYPES = frozenset("long size_t ptrdiff_t int64_t uint64_t intptr_t uintptr_t ulong float double".split())


def parameters(words: list[str], kernel: str) -> list[list[str]] | None:
    """The words of each parameter of a kernel; None where the text defines no such function, or several."""
    found = [taken for name, taken in _defined(words) if name == kernel]
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


def _defined(words: list[str]) -> list[tuple[str, list[str]]]:
    """(name, parameters with their brackets) of the functions that a text defines in namespaces and classes."""
    found, start, i = [], 0, 0
    while i < len(words):
        head = words[start:i]
        if words[i] == "{" and (at := _name(head)) is not None:
            found.append((head[at], head[at + 1 :]))
        if words[i] == "{" and (at is not None or not _goes_on_inside(head)):
            i = _end(words, i)
            start = i + 1
        elif words[i] in (";", "{", "}"):
            start = i + 1
        i += 1
    return found


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
