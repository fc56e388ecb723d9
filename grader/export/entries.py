"""The rows of results.jsonl for exports: plain text, and a mark on the file that counts."""

from __future__ import annotations

import hashlib
import pathlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from .. import atomic_files
from ..classroom import attempts, file_names
from ..classroom.rows import GIVEN_UP, NOT_GRADED, Row
from ..classroom.run_order import DEFINED_TWICE
from ..classroom.sanitize import plain, plain_all, plain_lines
from ..isolation import in_words
from ..sentence import joined, kind_of, said


@dataclass(frozen=True)
class Entry:
    """One row.

    row: all text in it is plain (see classroom/sanitize.py). key: the student, unchanged from results.jsonl. counted:
    the last submission of the same student for the same lesson, None if it is this one.
    """

    row: Row
    key: str
    path_info: file_names.PathInfo
    counted: str | None = None

    @property
    def student(self) -> str:
        """The student's name as plain text."""
        return self.row["student"]

    @property
    def counts(self) -> bool:
        """Whether its score is the student's score for the lesson."""
        return self.row["lesson"] is not None and self.counted is None and self.row["instead"] is None


def of(rows: Iterable[Row]) -> list[Entry]:
    """The entries of rows, sorted by student, lesson and attempt."""
    found = []
    for row in rows:
        key = row["student"] or row["submission"]
        order = attempts.order(row["submission"], key, row["handed_in"])
        found.append(((key, row["lesson"] or "", order), key, row))
    found.sort(key=lambda each: each[0])
    last = {(key, row["lesson"]): row["submission"] for _, key, row in found}
    entries = []
    for _, key, row in found:
        name, counting = row["submission"], last[key, row["lesson"]]
        counted = plain(counting) if counting != name else None
        answers = {n: a | {"text": plain_lines(a["text"])} for n, a in (row["answers"] or {}).items()}
        shown = plain_all(row | {"student": key, "answers": None}) | {"answers": answers if row["answers"] else None}
        entries.append(Entry(shown, key, file_names.of_student(name, key), counted))
    return entries


def exercise_order(number: str) -> list[int]:
    """A sort key for ids of exercises: 4.2 stands before 4.10."""
    return [int(part) if part.isdecimal() else 0 for part in number.split(".")]


def lessons(entries: list[Entry]) -> dict[str, float]:
    """{number: most points} of each lesson that a student of the class handed in. All totals are out of their sum."""
    found: dict[str, float] = {}
    for entry in entries:
        if entry.counts:
            number = entry.row["lesson"]
            found[number] = max(found.get(number, 0.0), entry.row["max_score"])
    return dict(sorted(found.items()))


def for_a_person(entry: Entry) -> list[str]:
    """The reasons why a person has to look at a file: no lesson was found in it, or it was not judged in full."""
    found = list(entry.row["problems"]) if _unread(entry) else []
    if entry.row["instead"] is not None and entry.counted is None:
        later = entry.row["instead"]
        found.append(
            said(
                "not graded, and {later}, which is later, has no points: grade again with --every-attempt", later=later
            )
        )
    return found + [
        joined("{one}: {two}", [e["id"], e["message"]])
        for e in entry.row["exercises"]
        if {"grader-failed", "grader-error"} & {*e["flags"]}
    ]


def _unread(entry: Entry) -> bool:
    given_up = any(kind_of(problem) in (NOT_GRADED, GIVEN_UP) for problem in entry.row["problems"])
    return entry.row["lesson"] is None or given_up


def late_or_superseded(entry: Entry) -> list[str]:
    """Sentences about the time of a file: it is late, or a later file counts."""
    found = [said("handed in late, as its name says")] if entry.path_info.late else []
    if entry.counted and entry.row["lesson"]:
        found.append(
            said("not graded: {counted} is a later file for the same lesson", counted=entry.counted)
            if entry.row["instead"] is not None
            else said("not counted: {counted} is a later file for the same lesson", counted=entry.counted)
        )
    return found


def other_remarks(entry: Entry) -> list[str]:
    """The other sentences about a file."""
    found = [] if _unread(entry) else list(entry.row["problems"])
    if entry.counts and entry.row["exercises"] and all(e["status"] == "not_attempted" for e in entry.row["exercises"]):
        found.append(said("nothing in it was attempted"))
    return found


def remarks(entry: Entry) -> list[str]:
    """All sentences about one file."""
    return [*for_a_person(entry), *late_or_superseded(entry), *other_remarks(entry)]


def to_look_at(entry: Entry) -> list[str]:
    """The remarks for the instructor: all of them, except that a name is defined twice, which is for the student."""
    return [sentence for sentence in remarks(entry) if not _for_student(sentence)]


def _for_student(sentence: str) -> bool:
    return kind_of(sentence) == DEFINED_TWICE


def isolation(entries: list[Entry]) -> str:
    """The levels of isolation at which answers ran."""
    return in_words(e.row["isolation"] for e in entries if e.row["instead"] is None)


def by_student(entries: list[Entry]) -> dict[str, list[Entry]]:
    """The entries of each student, by key."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.key, []).append(entry)
    return found


def file_name(key: str) -> str:
    """A file name for a student: readable, valid on every file system, and different for each student."""
    readable = re.sub(r"[^a-z0-9]+", "-", key.lower())[:40].strip("-") or "student"
    return f"{readable}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def write(path: pathlib.Path, data: str | bytes) -> None:
    """Write a file completely or not at all, in a folder that is made if need be. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_files.write(path, data)
