"""The rows of results.jsonl as exports see them: text made plain, and of several files the one that counts."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
from dataclasses import dataclass, replace

from ..classroom import file_names, results_store
from ..classroom.sanitize import plain_all
from ..isolation import UNKNOWN, in_words

RESULTS = "results.jsonl"


@dataclass(frozen=True)
class Entry:
    """One row. key: the student as results.jsonl has it; in `row` all text is plain."""

    row: dict
    key: str
    said: file_names.Name
    counted: str | None = None  # the submission that counts in this one's place

    @property
    def student(self) -> str:
        """The student's name, to be read."""
        return self.row["student"]

    @property
    def counts(self) -> bool:
        """Whether its score is the student's score of a lesson."""
        return self.row["lesson"] is not None and self.counted is None


def load(folder: pathlib.Path) -> list[Entry]:
    """The entries of a folder of results, by student, lesson and attempt; empty where there are no results."""
    found = []
    for row in results_store.rows(folder / RESULTS):
        key = str(row.get("student") or row["submission"])
        blank = {"lesson": None, "problems": [], "exercises": [], "score": 0.0, "max_score": 0.0, "isolation": UNKNOWN}
        found.append(
            Entry(plain_all(blank | row | {"student": key}), key, file_names.of_student(row["submission"], key))
        )
    found.sort(key=lambda e: (e.key, e.row["lesson"] or "", e.said.order, e.row["submission"]))
    last = {(e.key, e.row["lesson"]): e.row["submission"] for e in found}
    return [replace(e, counted=_other(e.row["submission"], last[e.key, e.row["lesson"]])) for e in found]


def _other(submission: str, last: str) -> str | None:
    return last if last != submission else None


def odd(entry: Entry) -> list[str]:
    """Sentences about one file: what is wrong with it, whether it came late, whether another one counts."""
    sentences = list(entry.row["problems"])
    if entry.said.late:
        sentences.append("handed in late, as its name says")
    if entry.counted and entry.row["lesson"]:
        sentences.append(f"not counted: {entry.counted} is a later file for the same lesson")
    sentences += [f"{e['id']}: {e['message']}" for e in entry.row["exercises"] if "grader-failed" in e["flags"]]
    return sentences


def to_look_at(entry: Entry) -> list[str]:
    """Those of these sentences that an instructor should read: that a name is defined twice is for its author."""
    return [sentence for sentence in odd(entry) if not sentence.endswith("the last definition counts")]


def isolation(entries: list[Entry]) -> str:
    """The levels of isolation that answers ran under."""
    return in_words(str(e.row["isolation"]) for e in entries)


def by_student(entries: list[Entry]) -> dict[str, list[Entry]]:
    """The entries of each student, by key."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.key, []).append(entry)
    return found


def file_name(key: str) -> str:
    """A name for a student's file: readable, safe on every file system, and no other student's."""
    readable = re.sub(r"[^a-z0-9]+", "-", key.lower())[:40].strip("-") or "student"
    return f"{readable}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def write(path: pathlib.Path, data: str | bytes) -> None:
    """Write a file as a whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    try:
        beside.write_bytes(data.encode() if isinstance(data, str) else data)
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
