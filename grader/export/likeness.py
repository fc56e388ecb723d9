"""Equal answers: a list for a person to look at, and never a verdict.

Answers are equal where their shapes are (checks/shape.py). That is normal where an exercise is short, where many wrote
the same, and now and then by chance. So three rules decide what is listed:

- An equality counts where the answer has at least LEAST parts, about nine lines, and where few share it, see `few`.
- Two students are listed where they share SEVERAL such answers, or one of at least LONG parts, about thirty lines.
- What is left out because many share it is counted, exercise by exercise.
"""

from __future__ import annotations

import csv
import functools
import io
import itertools
import pathlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..checks import shape
from ..classroom.rows import KeptAnswer
from ..mistakes import mutant
from ..sentence import counted, said
from .csv import text
from .entries import Entry, by_student, exercise_order, write

TO = "likeness.csv"
LEAST, LONG = 80, 240  # parts
SEVERAL = 3
_MARKER = re.compile(r"###[ \t]*(?:BEGIN|END)[ \t]+SOLUTION")


@dataclass(frozen=True)
class Equal:
    """Students who gave equal answers.

    students: their keys; one alone has the course's own answers. exercises: the ids, in order. not_right: those of them
    in which the answer is not right; equal errors say more than equal right answers. parts: of these answers together.
    """

    students: tuple[str, ...]
    exercises: tuple[str, ...]
    not_right: tuple[str, ...]
    parts: int

    @property
    def solution(self) -> bool:
        """Whether the answers are the course's own."""
        return len(self.students) == 1


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
    """The most students who may share an answer that counts, of those who answered: 4, or one in 50 of many.

    In a small class, a third; but 2 at least.
    """
    return min(max(4, students // 50), max(2, students // 3))


def of(entries: list[Entry]) -> Likeness:
    """What is alike in the answers that count. Takes time in proportion to their number."""
    sharing: dict[tuple[str, str], dict[str, _Shared]] = defaultdict(dict)
    marked: dict[str, list[str]] = defaultdict(list)
    answered: dict[str, set[str]] = defaultdict(set)
    for entry, exercise, answer in _answers(entries):
        number = exercise["id"]
        answered[number].add(entry.key)
        if _MARKER.search(answer["text"]):
            marked[entry.key].append(number)
        if answer["shape"] and answer["size"] >= LEAST:
            shared = _Shared(number, exercise["status"] == "passed", answer["size"])
            sharing[number, answer["shape"]][entry.key] = shared
    pairs: dict[tuple[str, ...], list[_Shared]] = defaultdict(list)
    common = []
    for (number, digest), students in sharing.items():
        solution = digest == _solution(number)
        if len(students) > few(len(answered[number])):
            common.append(Common(number, len(students), len(answered[number]), solution))
            continue
        alone = [(key,) for key in students] if solution else []
        for pair in [*itertools.combinations(sorted(students), 2), *alone]:
            pairs[pair].append(students[pair[0]])
    common.sort(key=lambda each: exercise_order(each.exercise))
    return Likeness(_listed(pairs), common, dict(marked))


class _Shared(NamedTuple):
    """An answer that students share."""

    exercise: str
    right: bool
    parts: int


def _listed(pairs: dict[tuple[str, ...], list[_Shared]]) -> list[Equal]:
    """The pairs that share enough, the most parts first. Pairs that share the same answers are one group."""
    groups: dict[tuple[int, tuple[_Shared, ...]], list[set[str]]] = defaultdict(list)
    for pair, shared in pairs.items():
        if len(shared) >= SEVERAL or any(each.parts >= LONG for each in shared):
            of_these = groups[len(pair), tuple(sorted(shared, key=lambda each: exercise_order(each.exercise)))]
            touched = [group for group in of_these if group & {*pair}]
            of_these[:] = [group for group in of_these if group not in touched] + [set(pair).union(*touched)]
    found = [
        Equal(
            tuple(sorted(group)),
            tuple(each.exercise for each in shared),
            tuple(each.exercise for each in shared if not each.right),
            sum(each.parts for each in shared),
        )
        for (_, shared), of_these in groups.items()
        for group in of_these
    ]
    return sorted(found, key=lambda each: (-each.parts, each.solution, -len(each.not_right), each.students))


def _answers(entries: list[Entry]) -> Iterator[tuple[Entry, dict, KeptAnswer]]:
    """(entry, record, answer) of each answer that somebody finished, right or wrong."""
    for entry in entries:
        kept = entry.row["answers"] or {}
        for exercise in entry.row["exercises"] if entry.counts else []:
            unfinished = exercise["status"] == "not_attempted" or exercise["mistake"] == "todo-left"
            if exercise["id"] in kept and not unfinished:
                yield entry, exercise, kept[exercise["id"]]


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
    table.writerow(["what", "students", "exercises", "not_right", "parts", "count", "of"])
    for each in found.equal:
        students = "; ".join(names[key] for key in each.students)
        kind = "equal to the solution" if each.solution else "equal"
        cells = [kind, students, " ".join(each.exercises), " ".join(each.not_right)]
        table.writerow([*map(text, cells), each.parts, len(each.students), ""])
    for key, numbers in found.marked.items():
        table.writerow([*map(text, ["markers of the solution", names[key], " ".join(numbers), ""]), "", 1, ""])
    for each in found.common:
        kind = "common, equal to the solution" if each.solution else "common"
        table.writerow([*map(text, [kind, "", each.exercise, ""]), "", each.students, each.of])
    write(to, "\ufeff" + out.getvalue())
    count = len(found.equal) + len(found.marked)
    return [said("{lines} for a person to look at in {to}; none is a verdict", lines=counted(count, "line"), to=to)]
