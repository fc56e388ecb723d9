"""Zip files from strangers: each is opened once, and everything that its directory says is bounded."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import pathlib
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from ..sentence import fault, message, said

DAMAGED = "damaged-zip"  # the kind of a sentence about a file whose bytes are not what was packed
MAX_NAME = 1000  # characters of a path in an archive
_MAX_DIRECTORY = 16 << 20  # bytes of an archive's list of its files, which zipfile reads at once
_PIECE = 1 << 20  # bytes that are unpacked at a time
_MAX_DEPTH = 3  # zip files in zip files in zip files
_MAX_INNER = 2 << 30  # bytes of all zip files in one zip file
_ENCODINGS = ("cp437", "gbk", "big5", "cp932", "cp949", "cp1252", "cp866", "koi8_r")  # of Windows in many languages
_MOST_SEARCHED = 1 << 17  # bytes of names in which those of people are looked for
_CHINESE = re.compile(r"[\x20-\x7e\u3000-\u303f\u3400-\u9fff\uff00-\uffef]+")  # with its punctuation, and ASCII


@dataclass
class _Left:
    """What may still be read of a zip file and of those in it: files, and bytes of the inner ones."""

    files: int
    passed_over: Callable[[str], bool]
    people: Collection[str] = ()
    bytes: int = _MAX_INNER


class TooMany(OSError):
    """A zip file, with those in it, holds more files than are read."""


def files(
    path: pathlib.Path, limit: int, most: int, passed_over: Callable[[str], bool], people: Collection[str] = ()
) -> list[tuple[str, Callable[[], bytes]]]:
    """(name, load) for each file in a zip file, and in the zip files in it. Names have slashes, whatever wrote them.

    Folders are listed, too, with a "/" at the end; of those that are passed over, the outermost in another one.
    load returns the file's bytes, at most `limit`, or raises OSError. A name that several files have, or one of more
    than 1,000 characters, is listed once; its load raises OSError. passed_over: whether a name is left out. people: the
    names of students, which tell in what encoding names stand that are not said to be UTF-8.

    Raises OSError with the reason if the archive as a whole cannot be read, as one that was cut off, or if it holds
    more than `most` files.
    """
    return _listed(lambda: _File(path), os.path.getsize(path), limit, _Left(most, passed_over, people), 1)


def _listed(
    opened: Callable[[], io.BufferedIOBase | _File], size: int, limit: int, left: _Left, depth: int
) -> list[tuple[str, Callable[[], bytes]]]:
    """As `files`, for what `opened` opens, of `size` bytes."""
    with _as_os_error(depth == 1):
        file = opened()
        if not zipfile.is_zipfile(file):  # type: ignore[arg-type]
            raise OSError(_cut_off(depth == 1))
        archive = zipfile.ZipFile(file)  # type: ignore[arg-type]
        encoding = _encoding(archive.infolist(), left.people)
        every = [(_name(info, encoding), info) for info in archive.infolist()]
        listed = [(name, info) for name, info in every if not name.endswith("/")]
        if sum(info.compress_size for _, info in listed) > size:
            raise OSError(said("it lists files that overlap, or that are larger than itself"))
        # Of a zip file that was cut off, zipfile finds the end of a zip file in it, and lists that one's files.
        if archive.infolist() and min(info.header_offset for info in archive.infolist()) > 0:
            raise OSError(_cut_off(depth == 1))
    named = [(name, info) for name, info in listed if not left.passed_over(name)]
    folders = dict.fromkeys(_until(left.passed_over, name.rpartition("/")[0]) for name, _ in every)
    left.files -= len(named)
    if left.files < 0:
        raise TooMany(
            said(
                "it is a zip file of too many files: {count}, and at most {most} are read",
                count=f"{len(named):,}",
                most=f"{len(named) + left.files:,}",
            )
        )
    times = Counter(name for name, _ in named)
    held = _Held(opened, archive if depth == 1 else None)
    found: dict[str, Callable[[], bytes]] = {}
    for name, info in named:
        why = (
            said("it is one of {names} files of this name in one zip file", names=times[name])
            if times[name] > 1
            else _fault(info, limit)
        )
        if why:
            found[name] = functools.partial(refuse, why)
        elif name.lower().endswith(".zip"):
            found |= _inner(name, held, info, limit, left, depth)
        else:
            found[name] = functools.partial(_load, held, info)
    for name in folders:
        if name and ("/" in name or not left.passed_over(name)):
            found[f"{name}/"] = functools.partial(refuse, said("a folder without files"))
    return list(found.items())


def _until(passed_over: Callable[[str], bool], folder: str) -> str:
    """A folder, or the outermost of those around it that is passed over."""
    parts = folder.split("/")
    ends = next((i for i, part in enumerate(parts, 1) if passed_over(part)), len(parts))
    return "/".join(parts[:ends])


def _inner(
    name: str, held: _Held, info: zipfile.ZipInfo, limit: int, left: _Left, depth: int
) -> dict[str, Callable[[], bytes]]:
    """The files of a zip file in a zip file, by their names; the zip file itself where it cannot be read."""
    left.bytes -= info.file_size
    if depth >= _MAX_DEPTH or left.bytes < 0:
        return {
            name: functools.partial(
                refuse, said("it is a zip file too deep in zip files, or one too many. Hand in the notebook itself")
            )
        }
    load = functools.partial(_load, held, info)
    try:
        inside = _listed(lambda: io.BytesIO(load()), info.file_size, limit, left, depth + 1)
    except TooMany:
        raise
    except OSError as error:
        return {name: functools.partial(refuse, message(error))}
    if all(each.endswith("/") for each, _ in inside):
        return {name: functools.partial(refuse, said("it is a zip file that holds no files"))}
    return {f"{name}/{each}": of_each for each, of_each in inside}


class _Held:
    """An open archive. One in another archive is unpacked when it is read, and kept until a second one is."""

    _latest: tuple[_Held, zipfile.ZipFile] | None = None

    def __init__(self, opened: Callable[[], io.BufferedIOBase | _File], archive: zipfile.ZipFile | None):
        self._opened, self._archive = opened, archive

    @property
    def outermost(self) -> bool:
        """Whether it lies in no other archive."""
        return self._archive is not None

    def archive(self) -> zipfile.ZipFile:
        if self._archive is not None:
            return self._archive
        if _Held._latest is None or _Held._latest[0] is not self:
            _Held._latest = self, zipfile.ZipFile(self._opened())  # type: ignore[arg-type]
        return _Held._latest[1]


def refuse(why: str) -> bytes:
    """Raise OSError: the `load` of a file that is not read."""
    raise OSError(why)


def _name(info: zipfile.ZipInfo, encoding: str | None = None) -> str:
    """The path of a file. Windows may write backslashes and GBK, macOS UTF-8 without saying so, some programs "./".

    encoding: of names that are not said to be UTF-8 and are not; None where it is not known.
    """
    name, written = info.filename, _written(info)
    if isinstance(written, str):
        name = written
    else:
        with contextlib.suppress(UnicodeError):
            name = written.decode(encoding) if encoding else _of_chinese_windows(written) or name
    *folders, last = name.replace("\\", "/").split("/")
    name = "/".join([*(part for part in folders if part not in ("", ".")), last])
    name = "/" if folders and not name else name  # "./", the folder around all of them
    return (name if len(name) <= MAX_NAME else f"{name[:100]}…{name[-50:]}") or "?"


def _written(info: zipfile.ZipInfo) -> str | bytes:
    """A name as it is written: its bytes where they are not UTF-8, and nothing says in which encoding they are."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        packed = info.filename.encode("cp437")  # as which zipfile has read it
    except UnicodeError:
        return info.filename
    try:
        return packed.decode("utf-8")
    except UnicodeError:
        return packed


def _encoding(infos: list[zipfile.ZipInfo], people: Collection[str]) -> str | None:
    """The encoding in which names of people stand in an archive; None where no name is seen, or in two as often."""
    packed = [each for each in map(_written, infos) if isinstance(each, bytes)]
    wanted = [name.casefold().split() for name in people if not name.isascii()]
    seen = dict.fromkeys(_ENCODINGS, 0)
    for encoding in _ENCODINGS if packed and wanted else ():
        text = b"\n".join(packed)[:_MOST_SEARCHED].decode(encoding, "replace")
        text = unicodedata.normalize("NFC", text).casefold()
        seen[encoding] = sum(all(word in text for word in words) for words in wanted)
    first, second = sorted(seen, key=lambda each: -seen[each])[:2]
    return first if seen[first] > seen[second] else None


def _of_chinese_windows(packed: bytes) -> str | None:
    """A name in GBK, the encoding of Windows in Chinese; None where it seems to be in that of another language.

    Bytes of other languages may be GBK by chance. Then few of the characters are common, which are those of GB 2312.
    """
    name = packed.decode("gbk")
    foreign = [sign for sign in name if not sign.isascii()]
    common = sum(bool(sign.encode("gb2312", "ignore")) for sign in foreign)
    return name if _CHINESE.fullmatch(name) and 2 * common >= len(foreign) else None


def _fault(info: zipfile.ZipInfo, limit: int) -> str | None:
    """The reason why a file is not unpacked, by what the directory says of it."""
    if len(info.filename) > MAX_NAME:
        return said("it has a name of more than {MAX_NAME} characters", MAX_NAME=f"{MAX_NAME:,}")
    if info.flag_bits & 1:
        return said("it is encrypted in its zip file")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # the others unpack without a bound
        return said("it is compressed in its zip file by another method than deflate")
    return said("it is larger than {value} MB", value=limit >> 20) if info.file_size > limit else None


def _load(held: _Held, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a file: never more than the directory says, whatever is packed."""
    with _as_os_error(held.outermost), held.archive().open(info) as member:
        return b"".join(iter(lambda: member.read(_PIECE), b""))


@contextlib.contextmanager
def _as_os_error(outermost: bool) -> Iterator[None]:
    """Any exception of zipfile or of its decompressor becomes an OSError. Of an archive in another one, whose own bytes
    are whole, it has no kind: whoever packed it had a damaged file.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        kind = DAMAGED if outermost else ""
        raise OSError(fault(kind, "it is no whole zip file: {error}", error=error)) from None


def _cut_off(outermost: bool) -> str:
    """The sentence about a zip file without an end."""
    return fault(DAMAGED if outermost else "", "it is no whole zip file: cut off, damaged, or no zip at all")


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
            raise OSError(fault(DAMAGED, "it is no whole zip file: too short"))
        self._at = start + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        if size > _MAX_DIRECTORY:
            raise OSError(said("it has a list of its files of more than {value} MB", value=_MAX_DIRECTORY >> 20))
        with open(self._path, "rb") as f:
            f.seek(self._at)
            data = f.read(size)
        self._at += len(data)
        return data
