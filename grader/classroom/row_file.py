"""A file of rows in a folder of results, such as results.jsonl: one line a row, appended and synced.

The file stays whole through crashes, full disks and a second run at the same time.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import atomic_files
from ..sentence import Said, said
from .rows import Damaged

_LOCK = ".lock"  # of the folder: one run at a time writes into it


class Busy(Exception):
    """Another run writes into the folder."""


@dataclass(frozen=True)
class Kind:
    """The kind of rows that a file holds.

    line, parse: the line of a row, and the row in a line; `parse` raises Damaged. key: what a row is about. replaces:
    whether a row takes the place of an earlier one about the file of the same name. small: a row without what takes
    memory, which says whether the file has to be done again. left_out: whether a row is not added, because of an
    earlier one about the same thing.
    """

    name: str  # of the file
    damaged: str  # name of the file with the lines that held no row
    line: Callable[[Any], bytes]
    parse: Callable[[bytes], Any]
    key: Callable[[Any], Hashable]
    replaces: Callable[[Any, Any], bool]
    small: Callable[[Any], Any] = lambda row: row
    left_out: Callable[[Any, Any], bool] = lambda row, earlier: False


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
    """The lines of a file of rows.

    lines: the last row about each thing, by its key, unchanged, with its end of line. index: the same rows without what
    takes memory. tidy: whether the file holds nothing else.
    """

    kind: Kind
    index: Index
    lines: dict[Any, bytes] = field(default_factory=dict)
    damaged: list[DamagedLine] = field(default_factory=list)
    tidy: bool = True

    def rows(self) -> Iterator[Any]:
        """The rows, one at a time."""
        return map(self.kind.parse, self.lines.values())


@dataclass
class Rows:
    """The rows that count in a file, in the order of their lines, each parsed once. All of them are in memory."""

    rows: list[Any] = field(default_factory=list)
    damaged: list[DamagedLine] = field(default_factory=list)


class Index:
    """The small rows that count, by the name of their file."""

    def __init__(self, kind: Kind):
        self._kind = kind
        self._of_file: dict[str, list[Any]] = {}

    def put(self, row: Any) -> list[Hashable]:
        """Add a row. Returns the keys of the rows that it replaces."""
        mine = self.of_file(row["submission"])
        replaced = [each for each in mine if self._kind.replaces(row, each)]
        kept = [each for each in mine if each not in replaced]
        self._of_file[row["submission"]] = [*kept, self._kind.small(row)]
        return [self._kind.key(each) for each in replaced]

    def of_file(self, name: str) -> list[Any]:
        """The rows that count about the file of this name."""
        return self._of_file.get(name, [])

    def forget(self, name: str | None) -> None:
        """The rows about this file are out of date."""
        self._of_file.pop(name or "", None)


class RowFile:
    """A file of rows in a folder that is locked until the file is closed. A row is on the disk when `add` returns.

    contents: what the file held before. Its damaged lines are set aside in a file of their own.

    Raises Busy if another process has locked the folder, and OSError if the folder cannot be written to.
    """

    def __init__(self, folder: pathlib.Path, kind: Kind):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path, self._kind = folder, folder / kind.name, kind
        # A file of its own, because that of the rows is replaced. The end of the process releases the lock in any case.
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
            self._index = self.contents.index
            for damaged in self.contents.damaged:  # the row that such a line replaced is out of date
                self._index.forget(damaged.error.submission)
            self._file = open(self.path, "ab", buffering=0)
            opened.pop_all()

    def of_file(self, name: str) -> list[Any]:
        """The rows that count about the file of this name, each as Kind.small leaves it."""
        return self._index.of_file(name)

    def add(self, row: dict) -> None:
        """Append a row. It takes the place of earlier ones as Kind.replaces says, or is left out as Kind.left_out says.

        row: of this kind, perhaps with fields of another version. Raises Damaged if it is none, and OSError, for
        example if the disk is full; the file then has its earlier content.
        """
        data = self._kind.line(row)
        parsed, end = self._kind.parse(data), os.fstat(self._file.fileno()).st_size
        mine = [each for each in self.of_file(parsed["submission"]) if self._kind.key(each) == self._kind.key(parsed)]
        if any(self._kind.left_out(parsed, each) for each in mine):
            return
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except BaseException as error:
            # Ctrl-C can arrive after the whole row was written. Then the row stays.
            if isinstance(error, OSError) or os.fstat(self._file.fileno()).st_size != end + len(data):
                self._file.truncate(end)
            raise
        self._index.put(parsed)

    def close(self) -> None:
        """Remove replaced rows and release the lock. Raises OSError; no row is lost then."""
        try:
            self._file.close()
            self._tidy()
        finally:
            self._lock.close()

    def _tidy(self) -> Contents:
        """Remove rows that a later row replaced, and set damaged lines aside. Returns what the file held."""
        contents = read(self.path, self._kind)
        if contents.damaged:
            aside = self.folder / self._kind.damaged
            old = aside.read_bytes() if aside.exists() else b""
            # A crash between the two writes leaves a line in both files: the next run must not add it again.
            kept = {each + b"\n" for each in old.split(b"\n")}
            new = [damaged.line for damaged in contents.damaged if damaged.line not in kept]
            atomic_files.write(aside, [old, *new], sync=True)
        if not contents.tidy:
            atomic_files.write(self.path, contents.lines.values(), sync=True)
        return contents

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()


def read(file: pathlib.Path, kind: Kind) -> Contents:
    """The contents of a file of rows; empty if there is no such file. Raises OSError if it cannot be read."""
    found = Contents(kind, Index(kind))
    for each, row in _parsed(file, kind, found.damaged):
        whole = _whole(each)
        replaced = found.index.put(row) if row is not None else []
        found.tidy &= row is not None and each == whole and not replaced
        for key in replaced:
            found.lines.pop(key, None)
        if row is not None:
            found.lines[kind.key(row)] = whole  # the rows are in the order of the lines
    return found


def rows_of(file: pathlib.Path, kind: Kind) -> Rows:
    """As `read`, for somebody who wants all rows and none of their lines."""
    found, index, counting = Rows(), Index(kind), {}
    for _, row in _parsed(file, kind, found.damaged):
        if row is not None:
            for key in index.put(row):
                counting.pop(key, None)
            counting[kind.key(row)] = row
    found.rows = [*counting.values()]
    return found


def _parsed(file: pathlib.Path, kind: Kind, damaged: list[DamagedLine]) -> Iterator[tuple[bytes, Any]]:
    """(line, row) for each line of a file; None in place of a row for a line that holds none. damaged: gets those."""
    try:
        with open(file, "rb") as f:
            for number, each in enumerate(f, 1):
                try:
                    row = kind.parse(each)
                except Damaged as error:
                    row = None
                    if each.strip():
                        damaged.append(DamagedLine(number, _whole(each), error))
                yield each, row
    except FileNotFoundError:
        pass


def _whole(line: bytes) -> bytes:
    """A line with its end, which the last one of a file may lack."""
    return line.removesuffix(b"\n") + b"\n"
