"""The stored wrong answer that is nearest to a student's, and the difference between the two.

Wrong answers are those of tests/wrong. A copy of the course without tests/ has the mutants of grader/mistakes alone.
"""

from __future__ import annotations

import difflib
import functools
import re
from dataclasses import dataclass

from .. import environment
from ..mistakes import mutant, registry, stored

_LEAST = 0.5  # the part of the lines that two answers must share; the difference of others tells nothing
_AROUND = 2  # lines above and below a difference
_TOP = "@@"
_PASSED_OVER = re.compile(r'import |from |[ \t]*(?:r?""".*""")?[ \t]*$')


@dataclass(frozen=True)
class Near:
    """A stored answer. name: such as 4.1/pad-zero. difference: lines that begin with "-" where they stand in the
    stored answer alone, with "+" where they stand in the student's alone, else with " "; empty where the two are equal.
    """

    name: str
    difference: tuple[str, ...]


@functools.lru_cache(maxsize=20_000)  # students of a class give equal answers
def near(exercise: str, mistake: str | None, text: str) -> Near | None:
    """The stored answer that shares most lines with a text; None where none shares half of them.

    mistake: the name that the answer was given, of which the stored one is; None: any stored one of the exercise.
    """
    own = _lines(text)
    found = [(_shared(own, lines), name, lines) for name, of, lines in _known(exercise) if mistake in (None, of)]
    share, name, lines = max(found, default=(0.0, "", ()), key=lambda each: each[0])
    if share < _LEAST:
        return None
    return Near(name, _difference(lines, own))


@functools.cache
def edit(exercise: str, mistake: str) -> tuple[str, ...]:
    """How the course's answer becomes wrong in this way, as lines of `Near.difference`; empty where none is known."""
    kept = next((s for s in _stored().get(exercise, ()) if s.mistake == mistake and s.base == stored.SOLUTION), None)
    if kept:
        return _difference(_lines(kept.unchanged), _lines(stored.body(kept.source)))
    made = next((each for of, each in registry.mutants().get(exercise, ()) if of == mistake), None)
    return _difference(_lines(mutant.reference(exercise)), _lines(made.source(exercise))) if made else ()


@functools.cache
def _stored() -> dict[str, list[stored.Stored]]:
    """{exercise: wrong answers}; empty in a copy of the course without tests/."""
    found: dict[str, list[stored.Stored]] = {}
    tests = environment.ROOT / "tests"
    for each in stored.wrong(tests) if (tests / "wrong").is_dir() else ():
        found.setdefault(each.exercise, []).append(each)
    return found


@functools.cache
def _known(exercise: str) -> list[tuple[str, str | None, tuple[str, ...]]]:
    """(name, mistake, lines) of each stored wrong answer, and of each mutant where none is stored."""
    kept = [(each.name, each.mistake, _lines(stored.body(each.source))) for each in _stored().get(exercise, ())]
    if kept:
        return kept
    made = registry.mutants().get(exercise, ())
    return [(f"{exercise}/{mistake}", mistake, _lines(each.source(exercise))) for mistake, each in made]


def _lines(text: str) -> tuple[str, ...]:
    """The lines of an answer that are compared: without imports, docstrings of one line, and blank ones."""
    return tuple(line.rstrip() for line in text.split("\n") if not _PASSED_OVER.match(line))


def _shared(one: tuple[str, ...], two: tuple[str, ...]) -> float:
    """The part of the lines of two texts that both have, from 0 to 1."""
    first, second = {line.strip() for line in one}, {line.strip() for line in two}
    return len(first & second) / (len(first | second) or 1)


def _difference(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    found = [*difflib.unified_diff(old, new, n=_AROUND, lineterm="")][2:]
    return tuple(" …" if line.startswith(_TOP) else line for line in found)[1:]
