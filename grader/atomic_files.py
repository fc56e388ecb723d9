"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable


def write(file: pathlib.Path, data: str | bytes | Iterable[bytes], sync: bool = False, mode: int = 0o666) -> None:
    """Put data in a file's place: whatever happens, the file holds either its old content or the new one.

    data: text (UTF-8), bytes, or pieces of bytes. sync: whether the disk holds it before the old one goes. mode:
    permissions of the new file, before the process's umask. Raises OSError, and leaves nothing beside the file then.
    """
    beside = file.with_name(file.name + ".new")
    if isinstance(data, str):
        data = data.encode()
    try:
        beside.unlink(missing_ok=True)
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as f:
            f.writelines([data] if isinstance(data, bytes) else data)
            if sync:
                f.flush()
                os.fsync(f.fileno())
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
