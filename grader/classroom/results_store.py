"""A folder of results: results.jsonl, one row for each submission.

The file stays whole through crashes, full disks and a second run at the same time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from .. import atomic_files
from ..isolation import UNKNOWN
from ..sentence import Said, said
from . import rows
from .rows import Damaged, Row, failed, parse

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

    lines: the last row of each submission, unchanged, with its end of line. tidy: whether the file holds nothing else.
    """

    lines: dict[str, bytes] = field(default_factory=dict)
    damaged: list[DamagedLine] = field(default_factory=list)
    tidy: bool = True

    def rows(self) -> Iterator[Row]:
        """The rows, one at a time."""
        return map(parse, self.lines.values())


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
            self._keys = {row["submission"]: _cache_key(row) for row in self.contents.rows()}
            # The row that a damaged line replaced is out of date.
            self._keys |= {damaged.error.submission: None for damaged in self.contents.damaged}
            self._file = open(self.path, "ab", buffering=0)
            opened.pop_all()

    def holds(self, name: str, key: tuple[str | None, str, str], levels: tuple[str, ...]) -> bool:
        """Whether this submission has a row with the key (sha256, grader, seed) at one of these levels of isolation.

        A file that was given up has no answers that ran, so its row is as good at any level.
        """
        return key[0] is not None and self._keys.get(name) in [(*key, level) for level in (*levels, UNKNOWN)]

    def add(self, row: dict) -> None:
        """Append a row. It replaces an earlier row of the same submission.

        row: a Row, perhaps with fields of another version. Raises Damaged if it is none, and OSError, for example if
        the disk is full; the file then has its earlier content.
        """
        line = rows.line(row)
        row, end = parse(line), os.fstat(self._file.fileno()).st_size
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
        self._keys[row["submission"]] = _cache_key(row)

    def restate(self, name: str, instead: str | None, undecided: bool) -> None:
        """Say in the row that a submission has already how it stands among its student's files. Raises OSError."""
        line = self.contents.lines.get(name)
        row = parse(line) if line is not None else None
        if row is not None and (row["instead"], bool(row["undecided"])) != (instead, undecided):
            self.add(row | {"instead": instead, "undecided": undecided})

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
    found = Contents()
    try:
        with open(file, "rb") as f:
            for number, line in enumerate(f, 1):
                whole = line.removesuffix(b"\n") + b"\n"
                try:
                    name = parse(line)["submission"]
                except Damaged as error:
                    if line.strip():
                        found.damaged.append(DamagedLine(number, whole, error))
                    found.tidy = False
                else:
                    found.tidy &= line == whole and name not in found.lines
                    found.lines.pop(name, None)  # the rows are in the order of the lines
                    found.lines[name] = whole
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


def _cache_key(row: Row) -> tuple | None:
    """(sha256, grader, seed, isolation) of a row; None if the file is to be looked at again.

    That is where the machine failed, and where the file was not judged, because another one counts.
    """
    if failed(row) or (row["instead"] is not None and not row["exercises"]):
        return None
    return row["sha256"], row["grader"], row["seed"], row["isolation"]
