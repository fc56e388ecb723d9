"""A file that somebody handed in -> its code cells, or a sentence about why there are none. Nothing is executed."""

from __future__ import annotations

import json
import pathlib
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from . import answer, lessons

MAX_BYTES = 64 << 20
MAX_CODE = 256 << 10  # characters in code cells: ten times what the longest lesson has; more would keep Python busy
_SKIPPED = {".ipynb_checkpoints", "__MACOSX", ".git", ".venv"}


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
    """The path holds no notebook."""


def find(path: pathlib.Path) -> Iterator[Handed]:
    """The notebooks of a path: a file, a folder (one folder a student, or not), or a zip of these.

    Raises NothingToGrade for a path that does not exist or holds none.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        found = list(_in_zip(path))
    elif path.is_dir() and path.suffix.lower() != ".ipynb":
        found = [
            _handed(p.relative_to(path).as_posix(), lambda p=p: _bytes(p))
            for p in sorted(path.rglob("*"))
            if p.suffix.lower() == ".ipynb" and not _SKIPPED & set(p.relative_to(path).parts)
        ]
    elif path.exists():
        found = [_handed(path.name, lambda: _bytes(path))]
    else:
        raise NothingToGrade(f"there is no file or folder {str(path)!r}")
    if not found:
        raise NothingToGrade(f"{str(path)!r} holds no notebook (.ipynb)")
    yield from found


def _handed(name: str, load: Callable[[], bytes]) -> Handed:
    folder, _, file = name.rpartition("/")
    return Handed(name, folder.split("/")[0] if folder else pathlib.PurePosixPath(file).stem, load)


def _in_zip(path: pathlib.Path) -> Iterator[Handed]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [i.filename for i in archive.infolist() if i.filename.lower().endswith(".ipynb")]
    except (zipfile.BadZipFile, OSError) as error:
        raise NothingToGrade(f"{str(path)!r} cannot be read as a zip file: {error}") from None
    for name in names:
        if not _SKIPPED & set(pathlib.PurePosixPath(name).parts):
            yield _handed(name, lambda name=name: _from_zip(path, name))


def _from_zip(path: pathlib.Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive, archive.open(name) as member:
        return _bounded(member.read(MAX_BYTES + 1))


def _bytes(path: pathlib.Path) -> bytes:
    if not path.is_file():
        raise OSError("is no regular file")
    with open(path, "rb") as f:
        return _bounded(f.read(MAX_BYTES + 1))


def _bounded(data: bytes) -> bytes:
    if len(data) > MAX_BYTES:
        raise OSError(f"is larger than {MAX_BYTES >> 20} MB")
    return data


def read(data: bytes) -> Submission:
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
        submission.lesson = lesson_of(submission.cells)
        if submission.lesson is None:
            submission.problems.append("no such lesson: the notebook defines none of the names an exercise asks for")
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


def lesson_of(cells: list[str]) -> str | None:
    """The lesson a notebook answers: the one most of whose names it defines and whose checks it holds."""
    text, count = "\n".join(cells), answer.definitions(cells)
    best, most = None, 0.0
    for number in lessons.OUTLINE:
        exercises = lessons.of_lesson(number)
        if not exercises:
            continue
        names = [n for e in exercises for n in e.names]
        defined = sum(count[n] > 0 for n in names) / len(names)
        checked = sum(bool(re.search(rf"check\(\s*[\"']{re.escape(e.id)}[\"']", text)) for e in exercises) / len(
            exercises
        )
        if defined + checked > most:
            best, most = number, defined + checked
    return best
