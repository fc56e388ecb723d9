"""The rows of results.jsonl for exports: plain text, and a mark on the file that counts."""

from __future__ import annotations

import hashlib
import pathlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .. import atomic_files
from ..classroom import file_names
from ..classroom.rows import Row
from ..classroom.sanitize import plain_all
from ..isolation import in_words


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
        return self.row["lesson"] is not None and self.counted is None


def of(rows: Iterable[Row]) -> list[Entry]:
    """The entries of rows, sorted by student, lesson and attempt."""
    found = []
    for row in rows:
        key = row["student"] or row["submission"]
        found.append(Entry(plain_all(row | {"student": key}), key, file_names.of_student(row["submission"], key)))
    found.sort(key=lambda e: (e.key, e.row["lesson"] or "", e.path_info.order, e.row["submission"]))
    last = {(e.key, e.row["lesson"]): e.row["submission"] for e in found}
    return [replace(e, counted=_other(e.row["submission"], last[e.key, e.row["lesson"]])) for e in found]


def _other(submission: str, last: str) -> str | None:
    return last if last != submission else None


def remarks(entry: Entry) -> list[str]:
    """Sentences about one file: problems, lateness, and another file that counts instead."""
    sentences = list(entry.row["problems"])
    if entry.path_info.late:
        sentences.append("handed in late, as its name says")
    if entry.counted and entry.row["lesson"]:
        sentences.append(f"not counted: {entry.counted} is a later file for the same lesson")
    sentences += [
        f"{e['id']}: {e['message']}"
        for e in entry.row["exercises"]
        if {"grader-failed", "grader-error"} & {*e["flags"]}
    ]
    return sentences


def to_look_at(entry: Entry) -> list[str]:
    """The remarks for the instructor: all of them, except that a name is defined twice, which is for the student."""
    return [sentence for sentence in remarks(entry) if not sentence.endswith("the last definition counts")]


def isolation(entries: list[Entry]) -> str:
    """The levels of isolation at which answers ran."""
    return in_words(e.row["isolation"] for e in entries)


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
