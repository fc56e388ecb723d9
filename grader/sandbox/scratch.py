"""Folders for what answers write. They go with their owner, or, when that was killed, with the next one to start."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import stat
import tempfile
import weakref

_PREFIX = "five-passes-"


class Scratch:
    """A folder of this process's own: name. It is locked until this process closes it, or forgets it, or ends."""

    def __init__(self):
        """Also removes the folders whose owners are gone. Raises OSError on a full disk, for example."""
        place = tempfile.gettempdir()
        for entry in os.scandir(place):
            if entry.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_left(entry.path)
        # It gets its name when it is locked, so that nobody takes it for one that was left.
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
    """Remove a folder, however deep the folders in it lie and whatever their modes are. Raises nothing.

    What lies deeper is lifted until nothing does: neither a long path nor many open files are needed.
    """
    with contextlib.suppress(OSError):  # what cannot be removed now is left for the next start
        while below := _without_files(folder):
            for path in below:
                for inner in _without_files(path):
                    os.rename(inner, tempfile.mkdtemp(dir=folder))  # an empty folder is replaced
                os.rmdir(path)
        os.rmdir(folder)


def _without_files(folder: str) -> list[str]:
    """Remove the files of a folder. Returns the folders in it, which can be read and moved from then on."""
    os.chmod(folder, stat.S_IRWXU)
    folders = []
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, stat.S_IRWXU)
            folders.append(entry.path)
        else:
            os.unlink(entry.path)
    return folders
