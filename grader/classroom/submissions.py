"""Submitted files: finding them in folders and zip files, and reading their code cells. Nothing is executed."""

from __future__ import annotations

import errno
import json
import os
import pathlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from .. import lessons
from ..judge.extract import extract
from ..sentence import message, said
from ..spec import Answer, Checked, Exercise
from . import archives, file_names, hand_in_times, run_order
from .archives import refuse
from .lesson_of import lesson_of
from .run_order import CodeCell

MAX_BYTES = 64 << 20
MAX_CODE = 256 << 10  # characters in code cells, ten times the longest lesson; a longer text takes long to parse
MAX_CELLS = 2000  # code cells, seventy times the longest lesson
MAX_VALUES = 2_000_000  # values in the JSON of a notebook; a lesson with its outputs has thousands
MAX_FILES = 20_000  # in a zip file; a class of a thousand with every lesson has fewer
MAX_FILES_OF_ONE = 1000  # in a zip file in a folder, which is one student's
# Folders and files, in lower case, that operating systems, editors and Jupyter add. No student handed them in.
_SKIPPED = {
    ".ipynb_checkpoints", ".virtual_documents", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache",
    ".git", ".github", ".venv", ".idea", ".vscode", "node_modules",
    "__macosx", ".spotlight-v100", ".trashes", ".fseventsd", "$recycle.bin", "system volume information", "@eadir",
}  # fmt: skip
_ADDED = {"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r"}
_NOTEBOOKS = (".ipynb", ".py")  # endings; the second one: cells as jupytext's percent format writes them
_AT_TOP = ""  # in place of a student
# A file of this kind may hold a notebook, so it has a row of its own beside other notebooks.
_MAY_HOLD_ONE = re.compile(r"\.(?:zip|7z|rar|tar|t?gz|bz2|xz)$|\.ipynb\b", re.IGNORECASE)
# The line above a cell in the percent format, with the kind of the cell. `# %%time` is a magic in a cell.
_CELL = re.compile(r"^#[ \t]*%%(?![\w%])(.*)$", re.MULTILINE)


@dataclass
class Submission:
    """A notebook that was read. lesson: a number of the outline, such as "05", or None if it answers no lesson.

    cells: in the order in which they are read (run_order.py). called: what the notebook calls each of them. checks: the
    last check of each exercise that the file shows. in_file: the cells in the file's order. language: the code that its
    metadata gives, as in a notebook of the course.
    """

    cells: list[str] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    checks: dict[str, Checked] = field(default_factory=dict)
    in_file: list[CodeCell] = field(default_factory=list)
    lesson: str | None = None
    problems: list[str] = field(default_factory=list)
    language: str | None = None


@dataclass(frozen=True)
class SubmittedFile:
    """A file that is not read yet.

    name: relative to the path that was given. load: returns the bytes, or raises OSError with the reason. beside: the
    names of the files that were handed in beside it and are no submissions. handed_in: when, as far as a file says so,
    in UTC, such as "2026-11-22 10:15:00".
    """

    name: str
    student: str
    load: Callable[[], bytes]
    beside: tuple[str, ...] = ()
    handed_in: str | None = None


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
            raise NothingToGrade(said("{path} {error}", path=repr(str(path)), error=error)) from None
    elif path.is_dir() and path.suffix.lower() != ".ipynb":
        found = _unwrapped(list(_in_folder(path, out)), "")
    elif os.path.lexists(path):
        found = [_file(path.name, lambda: _bytes(path))]
    else:
        raise NothingToGrade(said("there is no file or folder {path}", path=repr(str(path))))
    if not found:
        raise NothingToGrade(said("{path} holds no files", path=repr(str(path))))
    yield from found


def _unwrapped(found: list[tuple[str, Callable[[], bytes]]], stem: str) -> list[SubmittedFile]:
    """Files from (name, load). A folder around all of them is no part of the path that names the student.

    Of the files that are no notebooks, two kinds are no submissions: those beside notebooks of the same student; and,
    where there are notebooks at all, those at the top to which no platform gave a student's name.
    """
    notebooks = [name for name, _ in found if name.lower().endswith(".ipynb")]
    wrapper = file_names.wrapped(notebooks or [name for name, _ in found], stem)
    times, found = hand_in_times.of(found, wrapper)
    student_of = {name: file_names.read(name.removeprefix(wrapper)).student for name, _ in found}
    stems: dict[str, set[str]] = {}  # of a student's notebooks
    for name in notebooks:
        stems.setdefault(student_of[name], set()).add(pathlib.PurePath(name).stem)
    submitted: list[SubmittedFile] = []
    beside: dict[str, list[str]] = {_AT_TOP: []}  # the names of the files that are no submissions, by student
    for name, load in found:
        student, inner = student_of[name], name.removeprefix(wrapper)
        group = student
        if notebooks and student not in stems and "/" not in inner and not file_names.is_of_platform(inner):
            group = _AT_TOP
        if (group in stems or group == _AT_TOP) and _is_no_submission(name, load, stems.get(group)):
            beside.setdefault(group, []).append(name)
        else:
            submitted.append(SubmittedFile(name, student, load, handed_in=hand_in_times.at(name, times)))
    at_top = tuple(beside.pop(_AT_TOP))
    return [
        replace(file, beside=(*beside[file.student], *at_top) if file.student in beside else at_top)
        for file in submitted
    ]


def _is_no_submission(name: str, load: Callable[[], bytes], notebooks: set[str] | None) -> bool:
    """Whether a file beside notebooks is no submission. notebooks: their names without the ending, None for a file at
    the top, which is of no known student.

    A file in .py is a submission if it defines a name of an exercise, in cells where its student has notebooks, and is
    no copy of a notebook of its name.
    """
    if not name.lower().endswith(".py"):
        return not (name.lower().endswith(".ipynb") or _MAY_HOLD_ONE.search(pathlib.PurePath(name).name))
    if pathlib.PurePath(name).stem in (notebooks or ()):
        return True
    try:
        text = _decoded(load())
    except (OSError, ValueError):
        return False  # its row says why
    asked = "|".join(re.escape(name) for e in lessons.exercises().values() for name in e.names)
    defines = re.search(rf"^(?:def[ \t]+|class[ \t]+)?(?:{asked})\b", text, re.MULTILINE)
    return not (defines and (notebooks is None or _CELL.search(text)))


def _file(name: str, load: Callable[[], bytes]) -> SubmittedFile:
    return SubmittedFile(name, file_names.read(name).student, load)


def _in_folder(folder: pathlib.Path, out: pathlib.Path | None) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for path in sorted(folder.rglob("*")):
        name, kind = path.relative_to(folder).as_posix(), path.suffix.lower()
        if _passed_over(name) or (out is not None and path.absolute().is_relative_to(out.absolute())):
            continue
        if path.is_symlink():  # no platform makes links, and a link could lead to another student's answer
            yield name, (lambda: refuse(said("is a link")))
        elif kind in _NOTEBOOKS and (kind == ".ipynb" or path.is_file()):
            yield name, (lambda path=path: _bytes(path, folder))
        elif path.name == hand_in_times.FILE and path.is_file():
            yield name, (lambda path=path: _bytes(path, folder))
        elif kind == ".zip" and path.is_file():
            try:
                inside, problem = _in_zip(path, MAX_FILES_OF_ONE), said("is a zip file that holds no files")
            except OSError as error:
                inside, problem = [], message(error)
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
        raise OSError(
            said(
                "is a zip file of {count} files, and {most} are the most that are read",
                count=f"{len(found):,}",
                most=f"{most:,}",
            )
        )
    return [(name, _if_notebook(name.lower(), load)) for name, load in found]


def _if_notebook(name: str, load: Callable[[], bytes]) -> Callable[[], bytes]:
    if name.endswith(".zip"):
        return lambda: refuse(said("is a zip file in a zip file: unpack the outer one into a folder"))
    return load if name.endswith((*_NOTEBOOKS, f"/{hand_in_times.FILE}")) else _not_a_notebook


def _passed_over(name: str) -> bool:
    """Whether no student handed this file in: hidden files, but notebooks, and those that programs add."""
    *folders, last = name.lower().split("/")
    hidden = last.startswith(("._", "~$")) or (last.startswith(".") and not last.endswith((*_NOTEBOOKS, ".zip")))
    return hidden or last in _ADDED or not _SKIPPED.isdisjoint((*folders, last))


def _not_a_notebook() -> bytes:
    refuse(said("is no notebook, whose name ends in .ipynb or .py"))


def _bytes(path: pathlib.Path, folder: pathlib.Path | None = None) -> bytes:
    """The bytes of a file. folder: where it was found; a file that is a link by now, or is in one, is not read."""
    if folder and path.parent.resolve() != folder.resolve() / path.parent.relative_to(folder):
        refuse(said("is a link"))
    if not path.is_file():
        refuse(said("is no regular file"))
    flags = os.O_RDONLY | os.O_NONBLOCK | (os.O_NOFOLLOW if folder else 0)
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as f:
            data = f.read(MAX_BYTES + 1)
    except OSError as error:
        if error.errno == errno.ELOOP:
            refuse(said("is a link"))
        raise
    return data if len(data) <= MAX_BYTES else refuse(said("is larger than {value} MB", value=MAX_BYTES >> 20))


def answers(submission: Submission) -> list[tuple[Exercise, Answer]]:
    """The exercises of a submission's lesson, each with its answer as far as the cells hold one."""
    exercises = lessons.of_lesson(submission.lesson) if submission.lesson else []
    return [(exercise, answer(submission, exercise)) for exercise in exercises]


def answer(submission: Submission, exercise: Exercise) -> Answer:
    """The answer to an exercise, as far as the cells hold one."""
    return extract(submission.cells, exercise.names, submission.called)


def read(data: bytes, name: str = "") -> Submission:
    """Read a notebook: its code cells, and the lesson that it answers. name: its path, which can name the lesson.

    Where the path ends in .py, the file is Python, and its cells are those of jupytext's percent format.
    """
    submission = Submission()
    if not data.strip():
        submission.problems.append(said("the file is empty"))
        return submission
    # Each value begins behind one of these, and takes a hundred times the memory of its text. Those in strings count
    # as well.
    if sum(data.count(sign) for sign in (b",", b"[", b"{")) > MAX_VALUES:
        submission.problems.append(
            said("the file holds more than {MAX_VALUES} JSON values, so it was not read", MAX_VALUES=f"{MAX_VALUES:,}")
        )
        return submission
    is_python = re.search(r"\.py(?: \([0-9]+\))?$", name.lower())  # grading.distinct adds a number
    notebook, cells = {}, []
    try:
        if is_python:
            cells, problem = _bounded([CodeCell(text) for text in _percent_cells(_decoded(data))])
        else:
            notebook = json.loads(_decoded(data))
            cells, problem = _cells(notebook)
        submission.problems += [problem] if problem else []
    except RecursionError:
        submission.problems.append(said("the file is nested too deeply to be a notebook"))
    except ValueError:
        submission.problems.append(
            said("the file is no text in UTF-8")
            if is_python
            else said("the file is no notebook: it cannot be read as JSON")
        )
    if not submission.problems:
        submission.lesson, submission.problems = lesson_of(notebook, [cell.text for cell in cells], name)
        ordered = run_order.in_run_order(cells)
        submission.cells = [cell.text for cell in ordered]
        submission.called = [cell.called for cell in ordered]
        submission.checks = run_order.checks(ordered)
        submission.in_file = cells
        submission.language = _language(notebook)
    return submission


def _language(notebook: dict) -> str | None:
    """The language that the course wrote into a notebook's metadata, None where there is none."""
    for key in ("metadata", "five_passes", "language"):
        notebook = notebook.get(key) if isinstance(notebook, dict) else None
    return notebook if isinstance(notebook, str) and re.fullmatch(r"\w{2,20}", notebook) else None


def _decoded(data: bytes) -> str:
    """The text of a file in UTF-8, UTF-16 or UTF-32, with or without a byte order mark. Raises UnicodeDecodeError."""
    return data.decode(json.detect_encoding(data))


def _percent_cells(text: str) -> list[str]:
    """The code cells of a text in the percent format. Without a line that begins a cell, all of it is one cell.

    Nothing of jupytext is used: it reads the YAML above the cells, and a few lines of that can fill any memory.
    """
    parts = _CELL.split(text)
    kinds = ["", *parts[1::2]]
    if len(parts) > 1 and not re.search(r"^[^#\s]", parts[0], re.MULTILINE):
        kinds[0] = "[raw]"  # jupytext's own header, in comments
    return [cell for kind, cell in zip(kinds, parts[::2]) if not re.search(r"\[(?:markdown|md|raw)\]", kind)]


def _cells(notebook) -> tuple[list[CodeCell], str | None]:
    """(the code cells, a sentence about a fault or None), for nbformat 3 and 4."""
    if not isinstance(notebook, dict):
        return [], said("no notebook: the JSON holds a {name}, not an object", name=type(notebook).__name__)
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [s.get("cells") for s in notebook["worksheets"] if isinstance(s, dict)]
        cells = [c for s in sheets if isinstance(s, list) for c in s]
    if not isinstance(cells, list):
        return [], said("no notebook: the file has no list of cells")
    code = (_code_cell(cell) for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code")
    return _bounded([cell for cell in code if cell is not None])


def _code_cell(cell: dict) -> CodeCell | None:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(s for s in source if isinstance(s, str))
    if not isinstance(source, str):
        return None
    count, outputs = cell.get("execution_count", cell.get("prompt_number")), cell.get("outputs")
    checks = (Checked.of(output) for output in (outputs if isinstance(outputs, list) else []))
    return CodeCell(
        source, count if type(count) is int and count > 0 else None, tuple(check for check in checks if check)
    )


def _bounded(cells: list[CodeCell]) -> tuple[list[CodeCell], str | None]:
    """(the cells, a sentence or None), or no cells where they are too many or too long."""
    if len(cells) > MAX_CELLS:
        return [], said(
            "the notebook has more than {MAX_CELLS} code cells, so none of them was read", MAX_CELLS=f"{MAX_CELLS:,}"
        )
    if sum(len(cell.text) for cell in cells) > MAX_CODE:
        much = said("more than {value} thousand characters of code", value=MAX_CODE >> 10)
        return [], said("the notebook holds {much}, so none of it was read", much=much)
    # A lone surrogate cannot be encoded, so a question mark replaces it.
    cells = [
        replace(
            cell,
            text=cell.text.encode("utf-8", "replace").decode(),
            called=said("In [{count}]", count=cell.count) if cell.count else said("code cell {number}", number=number),
        )
        for number, cell in enumerate(cells, 1)
    ]
    return cells, None if cells else said("the notebook has no code cells")
