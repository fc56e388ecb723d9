"""Equal answers: a list for a person to look at, and never a verdict.

Answers are equal where their shapes are (checks/shape.py). Equal answers are normal where an exercise is short, or
where many students wrote the same. So an equality is listed where both hold: the answer has at least LEAST parts, about
nine lines; and few students share it, see `few`. What is left out as common is counted, exercise by exercise.
"""

from __future__ import annotations

import csv
import functools
import io
import pathlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ..checks import shape
from ..classroom.rows import KeptAnswer
from ..mistakes import mutant
from ..sentence import said
from .csv import text
from .entries import Entry, by_student, exercise_order, write

TO = "likeness.csv"
LEAST = 80  # parts
_MARKER = re.compile(r"###[ \t]*(?:BEGIN|END)[ \t]+SOLUTION")


@dataclass(frozen=True)
class Equal:
    """Students who gave equal answers.

    students: their keys. exercises: the ids, in order. not_right: those of them in which the answer is not right; equal
    errors say more than equal right answers. solution: whether the course's own answer is equal, too.
    """

    students: tuple[str, ...]
    exercises: tuple[str, ...]
    not_right: tuple[str, ...]
    solution: bool


@dataclass(frozen=True)
class Common:
    """An answer that too many students share to say anything. solution: whether it is the course's own."""

    exercise: str
    students: int
    of: int
    solution: bool


@dataclass(frozen=True)
class Likeness:
    """What is alike in a class. marked: {student: exercises} whose answers hold markers of the course's solutions."""

    equal: list[Equal]
    common: list[Common]
    marked: dict[str, list[str]]


def few(students: int) -> int:
    """The most students who may share an answer that is listed, of those who answered: 4, or one in 20 of many.

    In a small class, a third; but 2 at least.
    """
    return min(max(4, students // 20), max(2, students // 3))


def of(entries: list[Entry]) -> Likeness:
    """What is alike in the answers that count. Takes time in proportion to their number."""
    sharing: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
    marked: dict[str, list[str]] = defaultdict(list)
    answered: dict[str, set[str]] = defaultdict(set)
    for entry, exercise, answer in _answers(entries):
        number = exercise["id"]
        answered[number].add(entry.key)
        if _MARKER.search(answer["text"]):
            marked[entry.key].append(number)
        if answer["shape"] and answer["size"] >= LEAST:
            sharing[number][answer["shape"]][entry.key] = exercise["status"] == "passed"
    together: dict[tuple[tuple[str, ...], bool], list[tuple[str, bool]]] = defaultdict(list)
    common = []
    for number, shapes in sharing.items():
        for digest, students in shapes.items():
            solution = digest == _solution(number)
            if len(students) > few(len(answered[number])):
                common.append(Common(number, len(students), len(answered[number]), solution))
            elif len(students) > 1 or solution:
                together[tuple(sorted(students)), solution].append((number, all(students.values())))
    equal = [
        Equal(students, tuple(number for number, _ in found), tuple(n for n, right in found if not right), solution)
        for (students, solution), found in ((who, sorted(f, key=_number)) for who, f in together.items())
    ]
    equal.sort(key=lambda each: (-len(each.exercises), -len(each.not_right), each.students))
    return Likeness(equal, sorted(common, key=lambda each: exercise_order(each.exercise)), dict(marked))


def _answers(entries: list[Entry]) -> Iterator[tuple[Entry, dict, KeptAnswer]]:
    """(entry, record, answer) of each answer that somebody finished, right or wrong."""
    for entry in entries:
        kept = entry.row["answers"] or {}
        for exercise in entry.row["exercises"] if entry.counts else []:
            unfinished = exercise["status"] == "not_attempted" or exercise["mistake"] == "todo-left"
            if exercise["id"] in kept and not unfinished:
                yield entry, exercise, kept[exercise["id"]]


def _number(found: tuple[str, bool]) -> list[int]:
    return exercise_order(found[0])


@functools.cache
def _solution(number: str) -> str | None:
    """The shape of the course's own answer, None where there is none."""
    try:
        found = shape.of(mutant.reference(number))
    except ValueError:
        return None
    return found and found.digest


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the list as CSV. Returns sentences about the result. Raises OSError."""
    found, names = of(entries), {key: mine[0].student for key, mine in by_student(entries).items()}
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["what", "students", "exercises", "not_right", "count", "of"])
    for each in found.equal:
        students = "; ".join(names[key] for key in each.students)
        kind = "equal to the solution" if each.solution else "equal"
        cells = [kind, students, " ".join(each.exercises), " ".join(each.not_right)]
        table.writerow([*map(text, cells), len(each.students), ""])
    for key, numbers in found.marked.items():
        table.writerow([*map(text, ["markers of the solution", names[key], " ".join(numbers), ""]), 1, ""])
    for each in found.common:
        kind = "common, equal to the solution" if each.solution else "common"
        table.writerow([*map(text, [kind, "", each.exercise, ""]), each.students, each.of])
    write(to, "\ufeff" + out.getvalue())
    count = len(found.equal) + len(found.marked)
    return [said("{count} lines for a person to look at in {to}; none is a verdict", count=count, to=to)]
