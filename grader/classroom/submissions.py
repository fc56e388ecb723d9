"""Submitted files: finding them in folders and zip files, and reading their code cells. Nothing is executed."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from .. import lessons
from ..judge.extract import extract
from ..spec import Answer, Exercise
from . import archives, file_names
from .archives import refuse
from .lesson_of import lesson_of

MAX_BYTES = 64 << 20
MAX_CODE = 256 << 10  # characters in code cells, ten times the longest lesson; a longer text takes long to parse
MAX_CELLS = 2000  # code cells, seventy times the longest lesson
MAX_VALUES = 2_000_000  # values in the JSON of a notebook; a lesson with its outputs has thousands
MAX_FILES = 20_000  # in a zip file; a class of a thousand with every lesson has fewer
MAX_FILES_OF_ONE = 1000  # in a zip file in a folder, which is one student's
_SKIPPED = {".ipynb_checkpoints", "__MACOSX", ".git", ".venv"}
_ADDED = {".DS_Store", "Thumbs.db", "desktop.ini"}


@dataclass
class Submission:
    """A notebook that was read. lesson: a number of the outline, such as "05", or None if it answers no lesson.

    called: what the notebook calls each of its cells, such as "In [3]"; "" for a cell that was not run.
    """

    cells: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
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
            found = _unwrapped(_in_zip(path, MAX_FILES), path.stem)
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
            yield name, (lambda: refuse("is a link"))
        elif kind == ".ipynb":
            yield name, (lambda path=path: _bytes(path))
        elif kind == ".zip" and path.is_file():
            try:
                inside, problem = _in_zip(path, MAX_FILES_OF_ONE), "is a zip file that holds no files"
            except OSError as error:
                inside, problem = [], str(error)
            for inner, load in inside:
                yield f"{name}/{inner}", load
            if not inside:
                yield name, (lambda problem=problem: refuse(problem))
        elif not path.is_dir():
            yield name, _not_a_notebook


def _in_zip(path: pathlib.Path, most: int) -> list[tuple[str, Callable[[], bytes]]]:
    """The files in a zip. Raises OSError if it cannot be read, or holds more than `most` files."""
    found = [(name, load) for name, load in archives.files(path, MAX_BYTES) if not _passed_over(name)]
    if len(found) > most:
        raise OSError(f"is a zip file of {len(found):,} files, and {most:,} are the most that are read")
    return [(name, _if_notebook(name.lower(), load)) for name, load in found]


def _if_notebook(name: str, load: Callable[[], bytes]) -> Callable[[], bytes]:
    if name.endswith(".zip"):
        return lambda: refuse("is a zip file in a zip file: unpack the outer one into a folder")
    return load if name.endswith(".ipynb") else _not_a_notebook


def _passed_over(name: str) -> bool:
    *folders, last = name.split("/")
    return bool(_SKIPPED & {*folders, last}) or last in _ADDED or last.startswith("._")


def _not_a_notebook() -> bytes:
    refuse("is no notebook, whose name ends in .ipynb")


def _bytes(path: pathlib.Path) -> bytes:
    if not path.is_file():
        refuse("is no regular file")
    with open(path, "rb") as f:
        data = f.read(MAX_BYTES + 1)
    return data if len(data) <= MAX_BYTES else refuse(f"is larger than {MAX_BYTES >> 20} MB")


def answers(submission: Submission) -> list[tuple[Exercise, Answer]]:
    """The exercises of a submission's lesson, each with its answer as far as the cells hold one."""
    exercises = lessons.of_lesson(submission.lesson) if submission.lesson else []
    return [(exercise, extract(submission.cells, exercise.names, submission.called)) for exercise in exercises]


def read(data: bytes, name: str = "") -> Submission:
    """Read a notebook: its code cells, and the lesson that it answers. name: its path, which can name the lesson."""
    submission = Submission()
    # Each value begins behind one of these, and takes a hundred times the memory of its text. Those in strings count
    # as well.
    if sum(data.count(sign) for sign in (b",", b"[", b"{")) > MAX_VALUES:
        submission.problems.append(f"the file holds more than {MAX_VALUES:,} JSON values, so it was not read")
        return submission
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        submission.problems.append("the file is nested too deeply to be a notebook")
    except ValueError:
        what = "empty" if not data.strip() else "no notebook: it cannot be read as JSON"
        submission.problems.append(f"the file is {what}")
    else:
        submission.cells, submission.called, problem = _cells(notebook)
        submission.problems += [problem] if problem else []
    if not submission.problems:
        submission.lesson, submission.problems = lesson_of(notebook, submission.cells, name)
    return submission


def _cells(notebook) -> tuple[list[str], list[str], str | None]:
    """(sources of the code cells, names of these, a sentence about a fault or None), for nbformat 3 and 4."""
    if not isinstance(notebook, dict):
        return [], [], f"no notebook: the JSON holds a {type(notebook).__name__}, not an object"
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [s.get("cells") for s in notebook["worksheets"] if isinstance(s, dict)]
        cells = [c for s in sheets if isinstance(s, list) for c in s]
    if not isinstance(cells, list):
        return [], [], "no notebook: the file has no list of cells"
    sources, called, length = [], [], 0
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            if isinstance(source, list):
                source = "".join(s for s in source if isinstance(s, str))
            if isinstance(source, str):
                sources.append(source)
                count = cell.get("execution_count", cell.get("prompt_number"))
                called.append(f"In [{count}]" if type(count) is int else "")
                length += len(source)
            if len(sources) > MAX_CELLS:
                return [], [], f"the notebook has more than {MAX_CELLS:,} code cells, so none of them was read"
            if length > MAX_CODE:
                much = f"more than {MAX_CODE >> 10} thousand characters of code"
                return [], [], f"the notebook holds {much}, so none of it was read"
    # A lone surrogate cannot be encoded, so a question mark replaces it.
    sources = [source.encode("utf-8", "replace").decode() for source in sources]
    return sources, called, None if sources else "the notebook has no code cells"
