"""Submitted files: finding them in folders and zip files, and reading their code cells. Nothing is executed."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from .. import lessons
from ..judge.extract import extract
from ..spec import Answer, Exercise
from . import file_names
from .lesson_of import lesson_of

MAX_BYTES = 64 << 20
MAX_CODE = 256 << 10  # characters in code cells, ten times the longest lesson; a longer text takes long to parse
_SKIPPED = {".ipynb_checkpoints", "__MACOSX", ".git", ".venv"}
_ADDED = {".DS_Store", "Thumbs.db", "desktop.ini"}


@dataclass
class Submission:
    """A notebook that was read. lesson: a number of the outline, such as "05", or None if it answers no lesson."""

    cells: list[str] = field(default_factory=list)
    lesson: str | None = None
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SubmittedFile:
    """A file that is not read yet.

    name: relative to the path that was given. load: returns the bytes, or raises OSError with the reason.
    """

    name: str
    student: str
    load: Callable[[], bytes]


class NothingToGrade(Exception):
    """A path does not exist or holds no file."""


def find_all(paths: list[pathlib.Path], out: pathlib.Path | None = None) -> list[SubmittedFile]:
    """The files of several paths, without repetition. Their names are relative to the folder that contains all paths.

    out: a folder that is skipped. Raises NothingToGrade if one of the paths does not exist or holds no file.
    """
    paths = list(dict.fromkeys(pathlib.Path(os.path.abspath(path)) for path in paths))
    if len(paths) == 1:
        return list(find(paths[0], out))
    above = pathlib.Path(os.path.commonpath([path.parent for path in paths]))
    found = {}
    for path in paths:
        under = path.relative_to(above).as_posix()
        for file in find(path, out):
            if file.name == path.name and not path.is_dir():  # a single notebook: a folder above may name the student
                file = _file(under, file.load)
            else:
                file = replace(file, name=f"{under}/{file.name}")
            found.setdefault(file.name, file)
    return list(found.values())


def find(path: pathlib.Path, out: pathlib.Path | None = None) -> Iterator[SubmittedFile]:
    """The files of a path: a file, a folder or a zip, with names that file_names.read can parse.

    A zip in a folder is opened. A file of any kind counts as submitted, so that its student gets a row. Files that
    operating systems and editors add are skipped, and so is the folder `out`. Raises NothingToGrade if the path does
    not exist or holds no file.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        try:
            found = _unwrapped(_in_zip(path), path.stem)
        except OSError as error:
            raise NothingToGrade(f"{str(path)!r} {error}") from None
    elif path.is_dir() and path.suffix.lower() != ".ipynb":
        found = _unwrapped(list(_in_folder(path, out)), "")
    elif os.path.lexists(path):
        found = [_file(path.name, lambda: _bytes(path))]
    else:
        raise NothingToGrade(f"there is no file or folder {str(path)!r}")
    if not found:
        raise NothingToGrade(f"{str(path)!r} holds no files")
    yield from found


def _unwrapped(found: list[tuple[str, Callable[[], bytes]]], stem: str) -> list[SubmittedFile]:
    """Files from (name, load). A folder around all of them is no part of the path that names the student."""
    notebooks = [name for name, _ in found if name.lower().endswith(".ipynb")]
    wrapper = file_names.wrapped(notebooks or [name for name, _ in found], stem)
    return [SubmittedFile(name, file_names.read(name.removeprefix(wrapper)).student, load) for name, load in found]


def _file(name: str, load: Callable[[], bytes]) -> SubmittedFile:
    return SubmittedFile(name, file_names.read(name).student, load)


def _in_folder(folder: pathlib.Path, out: pathlib.Path | None) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for path in sorted(folder.rglob("*")):
        name, kind = path.relative_to(folder).as_posix(), path.suffix.lower()
        if _passed_over(name) or (out is not None and path.absolute().is_relative_to(out.absolute())):
            continue
        if path.is_symlink():  # no platform makes links, and a link could lead to another student's answer
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
    """A zip file. Any exception of zipfile or of a decompressor becomes an OSError."""
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


def answers(submission: Submission) -> list[tuple[Exercise, Answer]]:
    """The exercises of a submission's lesson, each with its answer as far as the cells hold one."""
    exercises = lessons.of_lesson(submission.lesson) if submission.lesson else []
    return [(exercise, extract(submission.cells, exercise.names)) for exercise in exercises]


def read(data: bytes, name: str = "") -> Submission:
    """Read a notebook: its code cells, and the lesson that it answers. name: its path, which can name the lesson."""
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
    """(sources of the code cells, a sentence about a fault or None), for nbformat 3 and 4."""
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
                # A lone surrogate cannot be encoded, so a question mark replaces it.
                sources.append(source.encode("utf-8", "replace").decode())
    if sum(map(len, sources)) > MAX_CODE:
        return [], f"the notebook holds more than {MAX_CODE >> 10} thousand characters of code, so none of it was read"
    return sources, None if sources else "the notebook has no code cells"
