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

from .. import atomic_files

RESULTS = "results.jsonl"
NOT_GRADED = "not graded"  # the beginning of a problem that is the fault of the grader and not of a file
_EXPECTED = "handed_in.json"  # the names of all submitted files, from which `merge` finds those without a row
_LOCK = ".lock"


class Busy(Exception):
    """Another run writes into the folder."""


class Results:
    """A folder of results, locked until it is closed. A row is on the disk when `add` returns.

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
            raise Busy(f"another run is writing to {str(folder)!r}; wait for it, or name another --out") from None
        with contextlib.ExitStack() as opened:
            opened.callback(self._lock.close)
            self._keys = {row["submission"]: _cache_key(row) for row in read_rows(self.path)}
            self._tidy()
            self._file = open(self.path, "ab", buffering=0)
            opened.pop_all()

    def holds(self, name: str, key: tuple[str | None, str, str], levels: tuple[str, ...]) -> bool:
        """Whether this submission has a row with the key (sha256, grader, seed) at one of these levels of isolation."""
        return key[0] is not None and self._keys.get(name) in [(*key, level) for level in levels]

    def add(self, row: dict) -> None:
        """Append a row. It replaces an earlier row of the same submission.

        Raises OSError, for example if the disk is full; the file then has its earlier content.
        """
        end, line = os.fstat(self._file.fileno()).st_size, _line(row)
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

    def expect(self, names: list[str]) -> None:
        """Store the names of all submitted files."""
        atomic_files.write(self.folder / _EXPECTED, json.dumps(names, indent=0), sync=True)

    def close(self) -> None:
        """Remove replaced rows and release the lock."""
        try:
            self._file.close()
            self._tidy()
        finally:
            self._lock.close()

    def _tidy(self) -> None:
        """Remove rows that a later row replaced, and a line that a crash left incomplete."""
        with contextlib.suppress(FileNotFoundError):
            if _lines(self.path) != (len(self._keys), True):
                atomic_files.write(self.path, (_line(row) for row in read_rows(self.path)), sync=True)

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def read_rows(file: pathlib.Path) -> Iterator[dict]:
    """The last row of each submission in a results.jsonl, one at a time. Incomplete lines are skipped."""
    last: dict[str, int] = {}
    for number, row in _numbered(file):
        last[row["submission"]] = number
    for number, row in _numbered(file):
        if last.get(row["submission"]) == number:
            yield row


def expected(folder: pathlib.Path) -> list[str]:
    """The names of all submitted files, as `expect` stored them; empty without such a file."""
    try:
        names = json.loads((folder / _EXPECTED).read_bytes())
    except (OSError, ValueError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _numbered(file: pathlib.Path) -> Iterator[tuple[int, dict]]:
    """(line number, row) of each line that holds a row."""
    try:
        with open(file, "rb") as f:
            for number, line in enumerate(f):
                with contextlib.suppress(ValueError, RecursionError):
                    row = json.loads(line)
                    if isinstance(row, dict) and isinstance(row.get("submission"), str) and "sha256" in row:
                        yield number, row
    except FileNotFoundError:
        return


def failed(row: dict) -> bool:
    """Whether the grader itself failed on this file or on one of its exercises."""
    return any(p.startswith(NOT_GRADED) for p in row.get("problems", [])) or any(
        "grader-failed" in e.get("flags", []) for e in row.get("exercises", [])
    )


def _cache_key(row: dict) -> tuple | None:
    """(sha256, grader, seed, isolation) of a row; None if the grader failed, so that the file is graded again."""
    if failed(row):
        return None
    return row["sha256"], row.get("grader"), row.get("seed"), row.get("isolation")


def _line(row: dict) -> bytes:
    return json.dumps(row).encode() + b"\n"


def _lines(file: pathlib.Path) -> tuple[int, bool]:
    """(number of lines, whether the last line ends in a newline)."""
    count, last = 0, b"\n"
    with open(file, "rb") as f:
        for last in f:  # noqa: B007
            count += 1
    return count, last.endswith(b"\n")
