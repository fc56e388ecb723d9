"""A folder of results: results.jsonl, one row a submission, kept whole through crashes, full disks and second runs."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
from collections.abc import Iterable, Iterator

RESULTS = "results.jsonl"
NOT_GRADED = "not graded"  # what a problem begins with that is the grader's own and no file's
_HANDED = "handed_in.json"  # the names of all that was handed in, so that `merge` can tell what has no row yet
_LOCK = ".lock"


class Busy(Exception):
    """Another run is writing into the folder."""


class Results:
    """A folder of results, locked until it is closed. A row is on the disk when `add` returns.

    Raises Busy when another process has the folder, OSError when it cannot be written to.
    """

    def __init__(self, folder: pathlib.Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / RESULTS
        # Not results.jsonl itself, which is replaced at times. The lock goes when the process does, however it ends.
        self._lock = open(folder / _LOCK, "a")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise Busy(f"another run is writing to {str(folder)!r}; wait for it, or name another --out") from None
        with contextlib.ExitStack() as opened:
            opened.callback(self._lock.close)
            self._rows = {row["submission"]: _work(row) for row in rows(self.path)}
            self._tidy()
            self._file = open(self.path, "ab", buffering=0)
            opened.pop_all()

    def holds(self, name: str, work: tuple, levels: tuple[str, ...]) -> bool:
        """Whether there is a row for this submission, of just this work, at one of these levels of isolation.

        work: (sha256, grader, seed).
        """
        return work[0] is not None and self._rows.get(name) in [(*work, level) for level in levels]

    def add(self, row: dict) -> None:
        """Append a row. It takes the place of an earlier one of the same submission.

        Raises OSError when the disk is full, say; the file then holds what it held before.
        """
        end, line = os.fstat(self._file.fileno()).st_size, _line(row)
        left = memoryview(line)
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except BaseException as error:
            # Ctrl-C may come when the row is there as a whole: then it stays.
            if isinstance(error, OSError) or os.fstat(self._file.fileno()).st_size != end + len(line):
                self._file.truncate(end)
            raise
        self._rows[row["submission"]] = _work(row)

    def expect(self, names: list[str]) -> None:
        """Keep the names of all that was handed in."""
        _replace(self.folder / _HANDED, [json.dumps(names, indent=0).encode()])

    def close(self) -> None:
        """Leave one row a submission, and let others write."""
        try:
            self._file.close()
            self._tidy()
        finally:
            self._lock.close()

    def _tidy(self) -> None:
        """Take out rows that a later one replaced, and what a crash left of a line."""
        with contextlib.suppress(FileNotFoundError):
            if _lines(self.path) != (len(self._rows), True):
                _replace(self.path, (_line(row) for row in rows(self.path)))

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def rows(file: pathlib.Path) -> Iterator[dict]:
    """The rows of a results.jsonl, the last one of each submission, one at a time; torn lines are left out."""
    last: dict[str, int] = {}
    for number, row in _numbered(file):
        last[row["submission"]] = number
    for number, row in _numbered(file):
        if last.get(row["submission"]) == number:
            yield row


def handed_in(folder: pathlib.Path) -> list[str]:
    """The names of all that was handed in to a folder of results; empty where nothing says so."""
    try:
        names = json.loads((folder / _HANDED).read_bytes())
    except (OSError, ValueError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _numbered(file: pathlib.Path) -> Iterator[tuple[int, dict]]:
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
    """Whether it was the grader that failed, or something that it lacks, and no answer."""
    return any(p.startswith(NOT_GRADED) for p in row.get("problems", [])) or any(
        "grader-failed" in e.get("flags", []) for e in row.get("exercises", [])
    )


def _work(row: dict) -> tuple | None:
    """What a row is of: (sha256, grader, seed, isolation). None where the grader failed, so that it is tried again."""
    if failed(row):
        return None
    return row["sha256"], row.get("grader"), row.get("seed"), row.get("isolation")


def _line(row: dict) -> bytes:
    return json.dumps(row).encode() + b"\n"


def _lines(file: pathlib.Path) -> tuple[int, bool]:
    """(lines of a file, whether the last one has its end)."""
    count, last = 0, b"\n"
    with open(file, "rb") as f:
        for last in f:  # noqa: B007
            count += 1
    return count, last.endswith(b"\n")


def _replace(file: pathlib.Path, lines: Iterable[bytes]) -> None:
    """Write a file anew, so that whatever happens there is either the old one or the new one."""
    beside = file.with_name(file.name + ".new")
    try:
        with open(beside, "wb") as f:
            f.writelines(lines)
            f.flush()
            os.fsync(f.fileno())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    beside.replace(file)
