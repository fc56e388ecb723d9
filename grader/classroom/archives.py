"""Zip files from strangers: each is opened once, and everything that its directory says is bounded."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator

from ..sentence import said

MAX_NAME = 1000  # characters of a path in an archive
_MAX_DIRECTORY = 16 << 20  # bytes of an archive's list of its files, which zipfile reads at once
_PIECE = 1 << 20  # bytes that are unpacked at a time


def files(path: pathlib.Path, limit: int) -> list[tuple[str, Callable[[], bytes]]]:
    """(name, load) for each file in a zip file. load returns its bytes, at most `limit`, or raises OSError.

    A name that several files have, or one of more than 1,000 characters, is listed once; its load raises OSError.
    Raises OSError with the reason if the archive as a whole cannot be read.
    """
    with _as_os_error():
        archive = zipfile.ZipFile(_File(path))
        listed = [info for info in archive.infolist() if not info.filename.endswith("/")]
        if sum(info.compress_size for info in listed) > os.path.getsize(path):
            raise OSError(said("lists files that overlap, or that are larger than itself"))
    names = Counter(_shown(info.filename) for info in listed)
    found = {}
    for info in listed:
        name = _shown(info.filename)
        why = (
            said("is one of {names} files of this name in one zip file", names=names[name])
            if names[name] > 1
            else _fault(info, limit)
        )
        found[name] = functools.partial(refuse, why) if why else functools.partial(_load, archive, info)
    return list(found.items())


def refuse(why: str) -> bytes:
    """Raise OSError: the `load` of a file that is not read."""
    raise OSError(why)


def _shown(name: str) -> str:
    return (name if len(name) <= MAX_NAME else f"{name[:100]}…{name[-50:]}") or "?"


def _fault(info: zipfile.ZipInfo, limit: int) -> str | None:
    """The reason why a file is not unpacked, by what the directory says of it."""
    if len(info.filename) > MAX_NAME:
        return said("has a name of more than {MAX_NAME} characters", MAX_NAME=f"{MAX_NAME:,}")
    if info.flag_bits & 1:
        return said("is encrypted in its zip file")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the others unpack without a bound
        return said("is compressed in its zip file by another method than deflate")
    return said("is larger than {value} MB", value=limit >> 20) if info.file_size > limit else None


def _load(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a file: never more than the directory says, whatever is packed."""
    with _as_os_error(), archive.open(info) as member:
        return b"".join(iter(lambda: member.read(_PIECE), b""))


@contextlib.contextmanager
def _as_os_error() -> Iterator[None]:
    """Any exception of zipfile or of its decompressor becomes an OSError."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(said("cannot be read as a zip file: {error}", error=error)) from None


class _File:
    """A file that is open only while it is read: a class has more archives than a process may have open files."""

    def __init__(self, path: pathlib.Path):
        self._path, self._at = path, 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: os.path.getsize(self._path)}[whence]
        if start + offset < 0:
            raise OSError(said("cannot be read as a zip file: it is too short"))
        self._at = start + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_DIRECTORY:
            raise OSError(said("has a list of its files of more than {value} MB", value=_MAX_DIRECTORY >> 20))
        with open(self._path, "rb") as f:
            f.seek(self._at)
            data = f.read(size)
        self._at += len(data)
        return data
