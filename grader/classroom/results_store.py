"""A folder of results: results.jsonl, one row for each submission.

The file stays whole through crashes, full disks and a second run at the same time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .. import atomic_files
from ..isolation import UNKNOWN
from ..sentence import Said, said
from . import lesson_digest, rows
from .rows import Damaged, Row, failed, not_asked, parse, replaces, timed_out

Key = tuple[str, str, str | None]  # student, file and lesson of a row

RESULTS = "results.jsonl"
DAMAGED = "results.damaged.jsonl"  # the lines of results.jsonl that held no row
_EXPECTED = "handed_in.json"  # the names of all submitted files, from which `merge` finds those without a row
_LOCK = ".lock"


class Busy(Exception):
    """Another run writes into the folder."""


@dataclass(frozen=True)
class DamagedLine:
    """A line that holds no row, with its end. number: counted from 1."""

    number: int
    line: bytes
    error: Damaged

    def __str__(self):
        return str(self.sentence)

    @property
    def sentence(self) -> Said:
        """What is wrong with which line."""
        name, error = self.error.submission, self.error
        if name is None:
            return said("line {number} is damaged: {error}", number=self.number, error=error)
        return said("line {number} about {name} is damaged: {error}", number=self.number, name=repr(name), error=error)


@dataclass
class Contents:
    """The lines of a results.jsonl.

    lines: the last row of each student, file and lesson, unchanged, with its end of line. tidy: whether the file holds
    nothing else.
    """

    lines: dict[Key, bytes] = field(default_factory=dict)
    damaged: list[DamagedLine] = field(default_factory=list)
    tidy: bool = True

    def rows(self) -> Iterator[Row]:
        """The rows, one at a time."""
        return map(parse, self.lines.values())


class _Index:
    """The rows that count, without their exercises, by the name of their file."""

    def __init__(self, found: Iterable[Row] = ()):
        self._of_file: dict[str, list[Row]] = {}
        for row in found:
            self.put(row)

    def put(self, row: Row) -> list[Key]:
        """Add a row. Returns the keys of the rows that it replaces."""
        mine = self.of_file(row["submission"])
        replaced = [each for each in mine if replaces(row, each)]
        self._of_file[row["submission"]] = [*(each for each in mine if each not in replaced), _small(row)]
        return [key_of(each) for each in replaced]

    def of_file(self, name: str) -> list[Row]:
        return self._of_file.get(name, [])

    def forget(self, name: str | None) -> None:
        """The rows about this file are out of date."""
        self._of_file.pop(name or "", None)


def key_of(row: Row) -> Key:
    """Student, file and lesson of a row."""
    return row["student"], row["submission"], row["lesson"]


def _small(row: Row) -> Row:
    """A row without what takes memory: it says whether the file has to be graded again."""
    of = [e for e in row["exercises"] if e["status"] == "timeout" or "grader-failed" in e["flags"]]
    return row | {"exercises": [e | {"message": "", "remarks": []} for e in of]}  # type: ignore[return-value]


class Results:
    """A folder of results, locked until it is closed. A row is on the disk when `add` returns.

    contents: what the folder held before. Its damaged lines are set aside in a file of their own.

    Raises Busy if another process has locked the folder, and OSError if the folder cannot be written to.
    """

    def __init__(self, folder: pathlib.Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / RESULTS
        # A file of its own, because results.jsonl is replaced. The end of the process releases the lock in any case.
        self._lock = open(folder / _LOCK, "a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise Busy(
                said("another run is writing to {folder}; wait for it, or name another --out", folder=repr(str(folder)))
            ) from None
        with contextlib.ExitStack() as opened:
            opened.callback(self._lock.close)
            self.contents = self._tidy()
            self._index = _Index(self.contents.rows())
            for damaged in self.contents.damaged:  # the row that such a line replaced is out of date
                self._index.forget(damaged.error.submission)
            self._file = open(self.path, "ab", buffering=0)
            opened.pop_all()

    def holds(
        self, student: str, name: str, key: tuple[str | None, str, str], levels: tuple[str, ...], seconds: float
    ) -> bool:
        """Whether a student's file has a row that is as good as a new one.

        That is a row with the key (sha256, grader, seed), at one of these levels of isolation, of exercises as they are
        now; and where time was short, with no fewer seconds for each. A file that was given up has no answers that
        ran, so its row is as good at any level.
        """
        return key[0] is not None and any(
            row["student"] == student
            and (row["sha256"], row["grader"], row["seed"]) == key
            and row["isolation"] in (*levels, UNKNOWN)
            and not (failed(row) or not_asked(row) or row["instead"] is not None)
            and not (timed_out(row) and row["seconds_each"] is not None and row["seconds_each"] < seconds)
            and row["digest"] == lesson_digest.of(row["lesson"])
            for row in self._index.of_file(name)
        )

    def add(self, row: dict) -> None:
        """Append a row. It takes the place of earlier ones as rows.replaces says.

        A row of a lesson that was not asked for is left out where the file has a row with a verdict on this lesson,
        which is of another assignment.

        row: a Row, perhaps with fields of another version. Raises Damaged if it is none, and OSError, for example if
        the disk is full; the file then has its earlier content.
        """
        line = rows.line(row)
        row, end = parse(line), os.fstat(self._file.fileno()).st_size
        mine = [each for each in self._index.of_file(row["submission"]) if key_of(each) == key_of(row)]
        if not_asked(row) and any(not not_asked(each) for each in mine):
            return
        left = memoryview(line)
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except BaseException as error:
            # Ctrl-C can arrive after the whole row was written. Then the row stays.
            if isinstance(error, OSError) or os.fstat(self._file.fileno()).st_size != end + len(line):
                self._file.truncate(end)
            raise
        self._index.put(row)

    def expect(self, names: list[str]) -> None:
        """Store the names of all submitted files."""
        atomic_files.write(self.folder / _EXPECTED, json.dumps(names, indent=0), sync=True)

    def close(self) -> None:
        """Remove replaced rows and release the lock. Raises OSError; no row is lost then."""
        try:
            self._file.close()
            self._tidy()
        finally:
            self._lock.close()

    def _tidy(self) -> Contents:
        """Remove rows that a later row replaced, and set damaged lines aside. Returns what the file held."""
        contents = read(self.path)
        if contents.damaged:
            aside = self.folder / DAMAGED
            old = aside.read_bytes() if aside.exists() else b""
            # A crash between the two writes leaves a line in both files: the next run must not add it again.
            kept = {line + b"\n" for line in old.split(b"\n")}
            new = [damaged.line for damaged in contents.damaged if damaged.line not in kept]
            atomic_files.write(aside, [old, *new], sync=True)
        if not contents.tidy:
            atomic_files.write(self.path, contents.lines.values(), sync=True)
        return contents

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def read(file: pathlib.Path) -> Contents:
    """The contents of a results.jsonl; empty if there is no such file. Raises OSError if it cannot be read."""
    found, index = Contents(), _Index()
    try:
        with open(file, "rb") as f:
            for number, line in enumerate(f, 1):
                whole = line.removesuffix(b"\n") + b"\n"
                try:
                    row = parse(line)
                except Damaged as error:
                    if line.strip():
                        found.damaged.append(DamagedLine(number, whole, error))
                    found.tidy = False
                else:
                    replaced = index.put(row)
                    found.tidy &= line == whole and not replaced
                    for key in replaced:
                        found.lines.pop(key, None)
                    found.lines[key_of(row)] = whole  # the rows are in the order of the lines
    except FileNotFoundError:
        pass
    return found


def expected(folder: pathlib.Path) -> list[str]:
    """The names of all submitted files, as `expect` stored them; empty without such a file."""
    try:
        names = json.loads((folder / _EXPECTED).read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
