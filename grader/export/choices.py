"""The choices among several files of a student that `grade` left to a person: they stand in its plan.json."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

from ..classroom.sanitize import plain
from ..sentence import tree
from .entries import Entry

PLAN = "plan.json"
_MOST = 10_000  # choices that are read


@dataclass(frozen=True)
class Choice:
    """Of several files of a student for a lesson one counts. why: a sentence."""

    student: str
    lesson: str
    counted: str
    others: tuple[str, ...]
    why: str


def read(folder: pathlib.Path, entries: list[Entry]) -> list[Choice]:
    """The choices in a folder of results; none where there is no plan, or where nothing was left open.

    entries: which of the files counts now.
    """
    try:
        plan = json.loads((folder / PLAN).read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    counting = {entry.row["submission"] for entry in entries if entry.counts}
    names = {entry.row["submission"]: entry.student for entry in entries}
    students = _get(plan, "students", list) or []
    lessons = ((student, number, each) for student in students for number, each in _items(student, "lessons"))
    open_ones = [each for each in lessons if _get(each[2], "undecided", bool)]
    return [_choice(plan, *each, counting, names) for each in open_ones[:_MOST]]


def _choice(plan: dict, student: dict, number: str, data: dict, counting: set[str], names: dict[str, str]) -> Choice:
    files = [plain(name) for name in _get(data, "counts", list) or [] if isinstance(name, str)]
    files += [plain(name) for name, _ in _items(data, "instead")]
    counted = next((name for name in files if name in counting), "")
    why = _get(data, "why", str) or ""
    known = _get(plan, "said", dict) or {}
    try:
        sentence = tree.unpack(known.get(why, why))
    except (tree.NoSentence, RecursionError):
        sentence = why
    others = tuple(name for name in files if name != counted)
    who = names.get(counted) or plain(_get(student, "student", str) or "")
    return Choice(who, plain(number), counted, others, plain(sentence))


def _get(data, name: str, kind: type):
    """A field of data of this kind, None where there is none: somebody may have edited the file."""
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, kind) else None


def _items(data, name: str) -> list[tuple]:
    return [*(_get(data, name, dict) or {}).items()]
