"""When was a file saved? Looked at again and again, whatever an editor does to save it."""

from __future__ import annotations

import pathlib


class Saved:
    """A file and its last state that was looked at. path: of the file, which need not be there all the time.

    An editor may write into the file, or put another one in its place; it may be gone or empty for a moment. A state
    counts once two looks have seen the same, so that no file is read while it is being written.
    """

    def __init__(self, path: pathlib.Path):
        self.path = path
        self._read = self._before = self._state()

    def look(self) -> bool:
        """Whether the file has come to rest in a state that no earlier look has told of."""
        now, before = self._state(), self._before
        self._before = now
        if now is None or now != before or now == self._read:
            return False
        self._read = now
        return True

    def _state(self) -> tuple[int, int, int] | None:
        """What changes when a file is saved; None while it is not there or empty."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size, found.st_ino) if found.st_size else None
