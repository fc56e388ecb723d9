"""Folders for the files of answers. The owner removes its folder; if it was killed, the next Scratch does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import shutil
import stat
import tempfile
import weakref

_PREFIX = "five-passes-"


class Scratch:
    """A folder of this process; name: its path. It is locked until close(), garbage collection or the process's end."""

    def __init__(self):
        """Create the folder, and remove those whose owners have ended. Raises OSError, for example on a full disk."""
        place = tempfile.gettempdir()
        for entry in os.scandir(place):
            if entry.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_left(entry.path)
        # It gets its name after it is locked: before, another process could take it for an abandoned one.
        unnamed = pathlib.Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
        lock = os.open(unnamed, os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.name = str(unnamed.rename(unnamed.with_name(unnamed.name.lstrip("."))))
        self._end = weakref.finalize(self, _end, self.name, lock)

    def close(self) -> None:
        """Remove the folder."""
        self._end()


def _end(name: str, lock: int) -> None:
    remove(name)
    os.close(lock)


def _remove_if_left(path: str) -> None:
    handle = os.open(path, os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_uid == os.geteuid():
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(path)
    finally:
        os.close(handle)


def remove(folder: str) -> None:
    """Remove a folder, at any depth of nesting and with any modes. Raises nothing."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        with contextlib.suppress(OSError):  # the next Scratch removes the rest
            _remove_step_by_step(folder)


def _remove_step_by_step(folder: str) -> None:
    """Remove a tree one folder at a time, without long paths and with few open files."""
    at, names = os.open(folder, os.O_DIRECTORY), []
    try:
        while True:
            if below := _first_folder(at):
                names.append(below)
                at = _step(at, below)
            elif names:
                at = _step(at, "..")
                os.rmdir(names.pop(), dir_fd=at)
            else:
                break
    finally:
        os.close(at)
    os.rmdir(folder)


def _step(at: int, name: str) -> int:
    there = os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
    os.close(at)
    return there


def _first_folder(at: int) -> str | None:
    """The name of the first folder in a folder, which becomes readable. The files listed before it are removed."""
    with os.scandir(at) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.name, stat.S_IRWXU, dir_fd=at)
                return entry.name
            os.unlink(entry.name, dir_fd=at)
    return None
