"""A file that somebody handed in -> its code cells, or a sentence about why there are none. Nothing is executed."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from . import file_names
from .lesson_of import lesson_of

MAX_BYTES = 64 << 20
MAX_CODE = 256 << 10  # characters in code cells: ten times what the longest lesson has; more would keep Python busy
_SKIPPED = {".ipynb_checkpoints", "__MACOSX", ".git", ".venv"}
_ADDED = {".DS_Store", "Thumbs.db", "desktop.ini"}


@dataclass
class Submission:
    """One file. `lesson` is "05" and the like, None when the file answers no lesson."""

    cells: list[str] = field(default_factory=list)
    lesson: str | None = None
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Handed:
    """A file before it is read: its name relative to what was given, whose it is, and how to get its bytes."""

    name: str
    student: str
    load: Callable[[], bytes]


class NothingToGrade(Exception):
    """The path holds no file."""


def find_all(paths: list[pathlib.Path], out: pathlib.Path | None = None) -> list[Handed]:
    """The files of several paths, each with a name of its own: relative to the folder that all paths are in.

    out: a folder that is left out wherever it lies. Raises NothingToGrade for a path that does not exist or holds none.
    """
    paths = list(dict.fromkeys(pathlib.Path(os.path.abspath(path)) for path in paths))
    if len(paths) == 1:
        return list(find(paths[0], out))
    above = pathlib.Path(os.path.commonpath([path.parent for path in paths]))
    found = {}
    for path in paths:
        under = path.relative_to(above).as_posix()
        for handed in find(path, out):
            if handed.name == path.name and not path.is_dir():  # a notebook: its folders may be the students'
                handed = _handed(under, handed.load)
            else:
                handed = replace(handed, name=f"{under}/{handed.name}")
            found.setdefault(handed.name, handed)
    return list(found.values())


def find(path: pathlib.Path, out: pathlib.Path | None = None) -> Iterator[Handed]:
    """The files of a path: a file, a folder, or a zip, laid out as layout.read knows. A zip in a folder is opened.

    Each file is one, whatever it is: somebody handed it in, and should be told. Only what operating systems and editors
    add is passed over, and the folder `out`. Raises NothingToGrade for a path that does not exist or holds none.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        try:
            found = _unwrapped(_in_zip(path), path.stem)
        except OSError as error:
            raise NothingToGrade(f"{str(path)!r} {error}") from None
    elif path.is_dir() and path.suffix.lower() != ".ipynb":
        found = _unwrapped(list(_in_folder(path, out)), "")
    elif os.path.lexists(path):
        found = [_handed(path.name, lambda: _bytes(path))]
    else:
        raise NothingToGrade(f"there is no file or folder {str(path)!r}")
    if not found:
        raise NothingToGrade(f"{str(path)!r} holds no files")
    yield from found


def _unwrapped(found: list[tuple[str, Callable[[], bytes]]], stem: str) -> list[Handed]:
    """Files by their names; whose they are is read without a folder around all of them."""
    notebooks = [name for name, _ in found if name.lower().endswith(".ipynb")]
    wrapper = file_names.wrapped(notebooks or [name for name, _ in found], stem)
    return [Handed(name, file_names.read(name.removeprefix(wrapper)).student, load) for name, load in found]


def _handed(name: str, load: Callable[[], bytes]) -> Handed:
    return Handed(name, file_names.read(name).student, load)


def _in_folder(folder: pathlib.Path, out: pathlib.Path | None) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for path in sorted(folder.rglob("*")):
        name, kind = path.relative_to(folder).as_posix(), path.suffix.lower()
        if _passed_over(name) or (out is not None and path.absolute().is_relative_to(out.absolute())):
            continue
        if path.is_symlink():  # platforms hand out none, and one could lead to somebody else's answer
            yield name, (lambda: _refuse("is a link"))
        elif kind == ".ipynb":
            yield name, (lambda path=path: _bytes(path))
        elif kind == ".zip" and path.is_file():
            try:
                inside, problem = _in_zip(path), "is a zip file that holds no files"
            except OSError as error:
                inside, problem = [], str(error)
            for inner, load in inside:
                yield f"{name}/{inner}", load
            if not inside:
                yield name, (lambda problem=problem: _refuse(problem))
        elif not path.is_dir():
            yield name, _not_a_notebook


def _in_zip(path: pathlib.Path) -> list[tuple[str, Callable[[], bytes]]]:
    with _opened(path) as archive:
        names = dict.fromkeys(i.filename for i in archive.infolist() if not i.is_dir())
    kept = [name for name in names if not _passed_over(name)]
    return [
        (name, (lambda name=name: _from_zip(path, name)) if name.lower().endswith(".ipynb") else _not_a_notebook)
        for name in kept
    ]


def _passed_over(name: str) -> bool:
    *folders, last = name.split("/")
    return bool(_SKIPPED & {*folders, last}) or last in _ADDED or last.startswith("._")


def _not_a_notebook() -> bytes:
    _refuse("is no notebook, whose name ends in .ipynb")


def _from_zip(path: pathlib.Path, name: str) -> bytes:
    with _opened(path) as archive, archive.open(name) as member:
        return _bounded(member.read(MAX_BYTES + 1))


@contextlib.contextmanager
def _opened(path: pathlib.Path) -> Iterator[zipfile.ZipFile]:
    """A zip file. Whatever its bytes make zipfile or a decompressor raise becomes an OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"cannot be read as a zip file: {error}") from None


def _bytes(path: pathlib.Path) -> bytes:
    if not path.is_file():
        _refuse("is no regular file")
    with open(path, "rb") as f:
        return _bounded(f.read(MAX_BYTES + 1))


def _bounded(data: bytes) -> bytes:
    return data if len(data) <= MAX_BYTES else _refuse(f"is larger than {MAX_BYTES >> 20} MB")


def _refuse(why: str) -> bytes:
    raise OSError(why)


def read(data: bytes, name: str = "") -> Submission:
    """The code cells of a notebook file, and which lesson it answers."""
    submission = Submission()
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        submission.problems.append("the file is nested too deeply to be a notebook")
    except ValueError:
        what = "empty" if not data.strip() else "no notebook: it cannot be read as JSON"
        submission.problems.append(f"the file is {what}")
    else:
        submission.cells, problem = _cells(notebook)
        submission.problems += [problem] if problem else []
    if not submission.problems:
        submission.lesson, submission.problems = lesson_of(notebook, submission.cells, name)
    return submission


def _cells(notebook) -> tuple[list[str], str | None]:
    """(sources of the code cells, what is wrong with the file or None). nbformat 3 or 4, metadata ignored."""
    if not isinstance(notebook, dict):
        return [], f"no notebook: the JSON holds a {type(notebook).__name__}, not an object"
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [s.get("cells") for s in notebook["worksheets"] if isinstance(s, dict)]
        cells = [c for s in sheets if isinstance(s, list) for c in s]
    if not isinstance(cells, list):
        return [], "no notebook: the file has no list of cells"
    sources = []
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            if isinstance(source, list):
                source = "".join(s for s in source if isinstance(s, str))
            if isinstance(source, str):
                # A lone surrogate is no text; whoever typed it meant something else.
                sources.append(source.encode("utf-8", "replace").decode())
    if sum(map(len, sources)) > MAX_CODE:
        return [], f"the notebook holds more than {MAX_CODE >> 10} thousand characters of code, so none of it was read"
    return sources, None if sources else "the notebook has no code cells"
