"""A folder of results: results.jsonl, one row for each submission, and the names of all that were handed in."""

from __future__ import annotations

import json
import pathlib

from .. import atomic_files
from ..isolation import UNKNOWN
from . import lesson_digest, row_file
from .row_file import Busy, Contents, Kind, RowFile, Rows
from .rows import Row, failed, line, not_asked, parse, replaces, timed_out

Key = tuple[str, str, str | None]  # student, file and lesson of a row

RESULTS = "results.jsonl"
DAMAGED = "results.damaged.jsonl"  # the lines of results.jsonl that held no row
_EXPECTED = "handed_in.json"  # the names of all submitted files, from which `merge` finds those without a row


def key_of(row: Row) -> Key:
    """Student, file and lesson of a row."""
    return row["student"], row["submission"], row["lesson"]


def _small(row: Row) -> Row:
    """A row without what takes memory: it says whether the file has to be graded again."""
    of = [e for e in row["exercises"] if e["status"] == "timeout" or "grader-failed" in e["flags"]]
    light = [e | {"message": "", "remarks": []} for e in of]
    return row | {"exercises": light, "answers": None}  # type: ignore[return-value]


def _left_out(row: Row, earlier: Row) -> bool:
    """Whether a lesson was not asked for, and the file has a verdict on it, which is of another assignment."""
    return not_asked(row) and not not_asked(earlier)


_KIND = Kind(RESULTS, DAMAGED, line, parse, key_of, replaces, _small, _left_out)


class Results(RowFile):
    """The results.jsonl of a folder, which is locked until it is closed. Raises what RowFile raises."""

    def __init__(self, folder: pathlib.Path):
        super().__init__(folder, _KIND)

    def holds(
        self, student: str, name: str, key: tuple[str | None, str, str], levels: tuple[str, ...], seconds: float,
        lesson: str | None = None,
    ) -> bool:  # fmt: skip
        """Whether a student's file has a row that is as good as a new one.

        That is a row with the key (sha256, grader, seed), at one of these levels of isolation, of exercises as they are
        now; and where time was short, with no fewer seconds for each. A file that was given up has no answers that
        ran, so its row is as good at any level. lesson: the one as which the file is to be graded, where that is known:
        of a notebook with the answers to two, another assignment may ask for the other one.
        """
        return key[0] is not None and any(
            row["student"] == student
            and (lesson is None or row["lesson"] in (None, lesson))
            and (row["sha256"], row["grader"], row["seed"]) == key
            and row["isolation"] in (*levels, UNKNOWN)
            and not (failed(row) or not_asked(row) or (row["instead"] is not None and not row["max_score"]))
            and not (timed_out(row) and row["seconds_each"] is not None and row["seconds_each"] < seconds)
            and row["digest"] == lesson_digest.of(row["lesson"])
            for row in self.of_file(name)
        )

    def restate(self, key: Key, instead: str | None, undecided: bool) -> None:
        """Say in the row that a file has already how it stands among its student's files. Raises OSError."""
        before = self.contents.lines.get(key)
        row = parse(before) if before is not None else None
        if row is not None and (row["instead"], bool(row["undecided"])) != (instead, undecided):
            self.add(row | {"instead": instead, "undecided": undecided})

    def expect(self, names: list[str]) -> None:
        """Store the names of all submitted files."""
        atomic_files.write(self.folder / _EXPECTED, json.dumps(names, indent=0), sync=True)


def read(file: pathlib.Path) -> Contents:
    """The contents of a results.jsonl; empty if there is no such file. Raises OSError if it cannot be read."""
    return row_file.read(file, _KIND)


def rows_of(file: pathlib.Path) -> Rows:
    """The rows of a results.jsonl, for exports, which want all of them at once; as `read` otherwise."""
    return row_file.rows_of(file, _KIND)


def expected(folder: pathlib.Path) -> list[str]:
    """The names of all submitted files, as `expect` stored them; empty without such a file."""
    try:
        names = json.loads((folder / _EXPECTED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


__all__ = ["Busy", "Contents", "DAMAGED", "Key", "RESULTS", "Results", "expected", "key_of", "read", "rows_of"]
