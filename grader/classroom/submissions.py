"""Submitted files: finding them in folders and zip files, and reading their code cells. Nothing is executed."""

from __future__ import annotations

import errno
import functools
import os
import pathlib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

from .. import lessons
from ..judge import extract
from ..language import named_in
from ..lessons import blank
from ..sentence import joined, kind_of, message, said
from ..spec import Answer, Checked, Exercise
from . import archives, file_names, layouts, mending, percent, run_order
from .archives import refuse
from .layouts import Owner
from .lesson_of import lesson_of
from .run_order import CodeCell

MAX_BYTES = 64 << 20  # of a file without its outputs
MAX_LOADED = 256 << 20  # of a file with them
MAX_CODE = 256 << 10  # characters in code cells, ten times the longest lesson; a longer text takes long to parse
MAX_CELLS = 2000  # code cells, seventy times the longest lesson
MAX_VALUES = 2_000_000  # values in the JSON of a notebook; a lesson with its outputs has thousands
MAX_FILES = 100_000  # in a zip file; a copy of the whole course has 2,000, and many students may hand one in
MAX_FILES_OF_ONE = 10_000  # in a zip file beside others in a folder: one student's, or a part of a class
# Folders and files, in lower case, that operating systems, editors and Jupyter add. No student handed them in.
_SKIPPED = {
    ".virtual_documents", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache",
    ".git", ".github", ".venv", ".idea", ".vscode", "node_modules", "site-packages",
    "__macosx", ".spotlight-v100", ".trashes", ".fseventsd", "$recycle.bin", "system volume information", "@eadir",
}  # fmt: skip
_ADDED = {"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r"}
_AT_TOP = ""  # in place of a student
_STARTED = re.compile(r"^from colab_setup import start\r?$", re.MULTILINE)  # of a lesson that `start` wrote
_FENCED = re.compile(r"\A\s*```[a-z]*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)


@dataclass
class Submission:
    """A notebook that was read. lesson: a number of the outline, such as "05", or None if it answers no lesson.

    cells: in the order in which they are read (run_order.py). called: what the notebook calls each of them. checks: the
    last check of each exercise that the file shows. in_file: the cells in the file's order. language: the code that its
    metadata gives, as in a notebook of the course, or its first cell, as in a lesson that `start` wrote.
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
    names of the files that were handed in beside it and are no submissions. handed_in: when, as far as a platform says
    so, in UTC, such as "2026-11-22 10:15:00". owner: whose it is, and how that is known.
    """

    name: str
    student: str
    load: Callable[[], bytes]
    beside: tuple[str, ...] = ()
    handed_in: str | None = None
    owner: Owner | None = None


@dataclass
class Found:
    """The files of a class, with names that file_names.read can parse.

    layouts: a sentence for each layout that was found. aside: names of files that are nobody's, with the reason; ""
    where it needs no word. doubts: sentences about what looks wrong. zipped: names of files in a path that is a zip.
    """

    files: list[SubmittedFile] = field(default_factory=list)
    layouts: list[str] = field(default_factory=list)
    aside: dict[str, str] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    zipped: set[str] = field(default_factory=set)


class NothingToGrade(Exception):
    """A path does not exist or holds no file."""


def find_all(
    paths: list[pathlib.Path],
    out: pathlib.Path | None = None,
    one_student: bool = False,
    people: Collection[str] = (),
) -> Found:
    """The files of several paths, without repetition. Their names are relative to the folder that contains all paths.

    out: a folder that is skipped. one_student: whether each path is one student's, whatever lies in it. people: the
    names of a roster, for zip files that do not say in which encoding they write theirs. Raises NothingToGrade if one
    of the paths does not exist or holds no file.
    """
    paths = list(dict.fromkeys(pathlib.Path(os.path.abspath(path)) for path in paths))
    if len(paths) == 1:
        return look(paths[0], out, one_student, people)
    above = pathlib.Path(os.path.commonpath([path.parent for path in paths]))
    found = Found()
    for path in paths:
        under, here = path.relative_to(above).as_posix(), look(path, out, one_student, people)
        earlier = {file.name for file in found.files}
        for file in here.files:
            if file.name == path.name and not path.is_dir():  # a single notebook: a folder above may name the student
                file = _file(under, file.load)
            else:
                owner = file.owner
                if owner and owner.place is not None:
                    owner = replace(owner, place=f"{under}/{owner.place}")
                file = replace(file, name=f"{under}/{file.name}", owner=owner)
            found.files += [file] if file.name not in earlier else []
        found.layouts += [each for each in here.layouts if each not in found.layouts]
        found.aside |= {f"{under}/{name}": why for name, why in here.aside.items()}
        found.doubts += here.doubts
        found.zipped |= {f"{under}/{name}" for name in here.zipped}
    named = {file.name for file in found.files}  # what one path has beside a class may be in another path
    found.aside = {name: why for name, why in found.aside.items() if name not in named}
    return found


def find(path: pathlib.Path, out: pathlib.Path | None = None) -> Iterator[SubmittedFile]:
    """The files of a path, as `look` finds them."""
    yield from look(path, out).files


def look(
    path: pathlib.Path, out: pathlib.Path | None = None, one_student: bool = False, people: Collection[str] = ()
) -> Found:
    """The files of a path: a file, a folder or a zip.

    A zip in a folder or in a zip is opened. A file of any kind counts as submitted, so that its student gets a row.
    Files that operating systems and editors add are skipped, and so is the folder `out`. Raises NothingToGrade if the
    path does not exist or holds no file, or if it is a zip that cannot be read as a whole.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        try:
            found = _placed(_in_zip(path, MAX_FILES, people), path.stem, one_student)
            found.zipped = {file.name for file in found.files}
        except OSError as error:
            why = joined("{one}: {two}", [repr(str(path)), message(error)])
            damaged = kind_of(message(error)) == archives.DAMAGED
            raise NothingToGrade(said("{why}. Download it again", why=why) if damaged else why) from None
    elif path.is_dir() and path.suffix.lower() != ".ipynb":
        found = _placed(list(_in_folder(path, out, people)), path.absolute().name, one_student)
    elif os.path.lexists(path):
        found = Found([_file(path.name, functools.partial(_light, lambda: _bytes(path)))], [said("a single file")])
    else:
        raise NothingToGrade(
            said("there is no file or folder {path}: name what the platform gave you", path=repr(str(path)))
        )
    if not found.files:
        raise NothingToGrade(
            said("{path} holds no files: download it again, or name another path", path=repr(str(path)))
        )
    return found


def _placed(found: list[tuple[str, Callable[[], bytes]]], title: str, one_student: bool) -> Found:
    """Files from (name, load), each with its student. A name with a "/" at its end is that of a folder.

    Of the files that are no notebooks, two kinds are no submissions: those beside notebooks of the same student; and,
    where there are notebooks at all, those at the top to which no platform gave a student's name.
    """
    loads = {name: load for name, load in found if not name.endswith("/")}
    if one_student:
        layout = layouts.of_one(list(loads), title)
    else:
        layout = layouts.of(list(loads), title, lambda name: loads[name]())
    notebooks = [name for name in layout.owners if file_names.is_ipynb(name)]
    stems: dict[str, set[str]] = {}  # of a student's notebooks
    for name in notebooks:
        for owner in layout.owners[name]:
            stems.setdefault(owner.student, set()).add(_stem_of_notebook(name))
    answers_of_blank = _scripts_beside_blank_ones(layout.owners, loads, stems)
    answering = {  # students whose notebook is a .py
        owner.student
        for name, owners in layout.owners.items() if file_names.is_python(name)
        for owner in owners if owner.student not in stems and not _is_no_submission(name, loads[name], None)
    }  # fmt: skip
    submitted: list[SubmittedFile] = []
    beside: dict[str, list[str]] = {_AT_TOP: []}  # the names of the files that are no submissions, by student
    for name in loads:
        for owner in layout.owners.get(name, ()):
            load = (
                functools.partial(_light, loads[name]) if _is_opened(name) else functools.partial(_not_a_notebook, name)
            )
            group = owner.student
            if notebooks and group not in stems and owner.loose:
                group = _AT_TOP
            if (
                group in stems or group == _AT_TOP or (group in answering and not _is_a_lesson(name))
            ) and _is_no_submission(name, load, None if (group, name) in answers_of_blank else stems.get(group)):
                beside.setdefault(group, []).append(name)
            else:
                submitted.append(SubmittedFile(name, owner.student, load, handed_in=owner.handed_in, owner=owner))
    at_top = tuple(beside.pop(_AT_TOP))
    files = [
        replace(file, beside=(*beside[file.student], *at_top) if file.student in beside else at_top)
        for file in submitted
    ]
    folders = [name[:-1] for name, _ in found if name.endswith("/")]
    added = [name for name in folders if name.rpartition("/")[2].lower() in _SKIPPED]
    empty = _empty_folders(folders, list(loads), _of_classes(layout))
    aside = {name: _without_files(name, added) for name in empty if name not in added} | layout.aside
    return Found(files, list(layout.says), aside, layout.doubts)


def _is_opened(name: str) -> bool:
    return file_names.is_notebook(name) or name.lower().endswith(".zip")


def _light(load: Callable[[], bytes]) -> bytes:
    """The bytes of a notebook, without its outputs where these are huge."""
    data = load()
    if len(data) > MAX_BYTES:
        data = mending.without_outputs(data)
    return data if len(data) <= MAX_BYTES else refuse(said("it is larger than {value} MB", value=MAX_BYTES >> 20))


def _is_a_lesson(name: str) -> bool:
    """Whether a .py is called as a lesson, so that it is meant as a submission, whatever is in it."""
    return file_names.is_python(name) and file_names.lesson(name.rpartition("/")[2]) is not None


def _stem_of_notebook(name: str) -> str:
    return re.sub(r"(?i)\.ipynb\b.*$", "", pathlib.PurePath(name).name)


def _scripts_beside_blank_ones(
    owners: dict[str, list[Owner]], loads: dict[str, Callable[[], bytes]], stems: dict[str, set[str]]
) -> set[tuple[str, str]]:
    """(student, name) of each .py that is called as a notebook of the same student in which nothing is answered.

    Beside a notebook with answers, such a script is just what was exported of it.
    """
    scripts = {
        (owner.student, name)
        for name, of_name in owners.items() if file_names.is_python(name)
        for owner in of_name if pathlib.PurePath(name).stem in stems.get(owner.student, ())
    }  # fmt: skip
    called = {(student, pathlib.PurePath(name).stem) for student, name in scripts}
    answered = {
        (owner.student, _stem_of_notebook(name))
        for name, of_name in (owners.items() if called else ()) if file_names.is_ipynb(name)
        for owner in of_name
        if (owner.student, _stem_of_notebook(name)) in called and not _has_no_answer(name, loads[name])
    }  # fmt: skip
    return {(student, name) for student, name in scripts if (student, pathlib.PurePath(name).stem) not in answered}


def _has_no_answer(name: str, load: Callable[[], bytes]) -> bool:
    """Whether a notebook can be read, and all in it are the course's stubs."""
    try:
        found = read(_light(load), name)
    except OSError:
        return False
    return found.lesson is not None and all(is_blank(exercise, answer) for exercise, answer in answers(found))


def _is_no_submission(name: str, load: Callable[[], bytes], notebooks: set[str] | None) -> bool:
    """Whether a file beside notebooks is no submission. notebooks: their names without the ending, None for a file at
    the top.

    A .py is a module, unless it answers an exercise: in cells, and as no copy of a notebook, where there are notebooks.
    A lesson that `start` wrote to be worked in has the name of its notebook, and is no copy.
    """
    if file_names.is_ipynb(name) or file_names.may_hold_notebooks(name):
        return False  # it has a row of its own
    if not file_names.is_python(name):
        return True
    try:
        text, _ = mending.decoded(load())
    except (OSError, mending.Unreadable):
        return pathlib.PurePath(name).stem in (notebooks or ())  # the row of any other says why
    if pathlib.PurePath(name).stem in (notebooks or ()) and not _STARTED.search(text):
        return True
    asked = "|".join(re.escape(name) for e in lessons.exercises().values() for name in e.names)
    defines = re.search(rf"^(?:def[ \t]+|class[ \t]+)?(?:{asked})\b", text, re.MULTILINE)
    return not (defines and (notebooks is None or percent.CELL.search(text)))


def _file(name: str, load: Callable[[], bytes]) -> SubmittedFile:
    info = file_names.read(name)
    student = (file_names.person_of_piece(info.student) if info.platform is None else "") or info.student
    names = (info.student,) if student != info.student else ()
    return SubmittedFile(name, student, load, owner=Owner(student, name, names))


def _in_folder(
    folder: pathlib.Path, out: pathlib.Path | None, people: Collection[str]
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    paths = _walked(folder, out)
    filled = {above for path in paths if not path.is_dir() for above in path.parents}
    most = MAX_FILES if sum(not path.is_dir() for path in paths) == 1 else MAX_FILES_OF_ONE
    for path in paths:
        name, kind = path.relative_to(folder).as_posix(), path.suffix.lower()
        if path.name == ".git":
            yield name, functools.partial(_not_a_notebook, name)
        elif path.is_symlink():  # no platform makes links, and a link could lead to another student's answer
            yield name, (lambda: refuse(said("it is a link")))
        elif kind == ".zip" and path.is_file():
            try:
                inside, problem = _in_zip(path, most, people), said("it is a zip file that holds no files")
            except OSError as error:
                inside, problem = [], message(error)
            for inner, load in inside:
                yield f"{name}/{inner}", load
            if all(inner.endswith("/") for inner, _ in inside):
                yield name, (lambda problem=problem: refuse(problem))
        elif not path.is_dir() or (kind == ".ipynb" and path not in filled):
            yield name, (lambda path=path: _bytes(path, folder))
        else:
            yield f"{name}/", (lambda name=name: refuse(said("a folder without files")))


def _walked(folder: pathlib.Path, out: pathlib.Path | None) -> list[pathlib.Path]:
    """What is in a folder at any depth, but in one of _SKIPPED: files, links, the .git of repositories, folders."""
    skipped, found = (out.absolute() if out is not None else None), []
    for place, folders, files in os.walk(folder):
        here = pathlib.Path(place)
        kept = []
        for name in [*folders, *files]:
            path = here / name
            if name == ".git":
                found.append(path)
            elif name.lower() in _SKIPPED and name in folders:
                found += [] if path.is_symlink() else [path]
            elif name not in folders and _passed_over(path.relative_to(folder).as_posix()):
                continue
            elif skipped is not None and path.absolute().is_relative_to(skipped):
                continue
            elif path.is_dir() and not path.is_symlink():
                kept.append(name)
                found.append(path)
            else:
                found.append(path)
        folders[:] = kept
    return sorted(found)


def _of_classes(layout: layouts.Layout) -> set[str]:
    """The folders in which folders of several students lie."""
    inside: dict[str, set[str]] = {}
    for name, owners in layout.owners.items():
        for place in (owner.place for owner in owners if owner.place is not None and name.startswith(owner.place)):
            folder, inner, _ = name[len(place) :].partition("/")
            inside.setdefault(place.rstrip("/") or ".", set()).update([folder] if inner else [])
    return {place for place, students in inside.items() if len(students) > 1}


def _empty_folders(folders: Collection[str], names: Collection[str], classes: Collection[str]) -> list[str]:
    """Folders without files among others with files: a student may have been meant.

    names: of all files. classes: the folders in which those of students lie. A clone without files is one of them.
    """
    clones = {layouts.clone_of(name) for name in names} - {None, ""}
    # A zip may list a folder, and none of those around it.
    above = (pathlib.PurePosixPath(name) for name in (*folders, *clones))
    folders = {str(each) for path in above for each in (path, *path.parents)} - {"."}
    names = [name for name in names if layouts.clone_of(name) is None]
    filled = {str(parent) for name in names for parent in pathlib.PurePosixPath(name).parents}
    of_files = {str(pathlib.PurePosixPath(name).parent) for name in names}
    return [
        name for name in sorted(folders - filled)
        if (parent := str(pathlib.PurePosixPath(name).parent)) in filled
        # Beside files, a folder is a part of somebody's work, but for one that a platform named, and beside students.
        and (parent not in of_files or parent in classes or file_names.is_of_platform(name.rpartition("/")[2]))
    ]  # fmt: skip


def _without_files(folder: str, added: Collection[str]) -> str:
    """Why a folder is nobody's work. added: folders of programs, of which none is looked into; .git holds no work."""
    inside = (name for name in added if name.startswith(f"{folder}/") and not name.endswith("/.git"))
    of_a_program = next(inside, None)
    if of_a_program is None:
        return said("a folder without files")
    return said(
        "a folder without files but those in {name}, which is left out as a program's own",
        name=of_a_program[len(folder) + 1 :],
    )


def _in_zip(path: pathlib.Path, most: int, people: Collection[str]) -> list[tuple[str, Callable[[], bytes]]]:
    """What is in a zip, and in the zips in it. Raises OSError if it cannot be read, or holds more than `most`."""
    return archives.files(path, MAX_LOADED, most, _passed_over, people)


def _passed_over(name: str) -> bool:
    """Whether no student handed this file in: hidden files, but notebooks and archives, and those that programs add.

    One file of a repository's .git is kept, as the sign of a repository.
    """
    *folders, last = name.lower().split("/")
    if folders[-1:] == [".git"] and last == "head":
        return not _SKIPPED.isdisjoint(folders[:-1])
    hidden = last.startswith(("._", "~$")) or (
        last.startswith(".") and not (file_names.is_notebook(last) or file_names.is_archive(last))
    )
    return hidden or last in _ADDED or not _SKIPPED.isdisjoint((*folders, last))


def _not_a_notebook(name: str) -> bytes:
    if file_names.is_archive(name):
        refuse(
            said(
                "it is an archive of another kind than zip, which is not opened. Hand in the notebook itself, or a zip"
            )
        )
    if file_names.is_typed(name):
        refuse(said("it was typed or linked on the platform, and is no file. Hand in the notebook itself"))
    refuse(said("it is no notebook: its name ends in neither .ipynb nor .py. Hand in the notebook itself"))


def _bytes(path: pathlib.Path, folder: pathlib.Path | None = None) -> bytes:
    """The bytes of a file. folder: where it was found; a file that is a link by now, or is in one, is not read."""
    if folder and path.parent.resolve() != folder.resolve() / path.parent.relative_to(folder):
        refuse(said("it is a link"))
    if not path.is_file():
        refuse(said("it is no regular file"))
    flags = os.O_RDONLY | os.O_NONBLOCK | (os.O_NOFOLLOW if folder else 0)
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as f:
            data = f.read(MAX_LOADED + 1)
    except OSError as error:
        if error.errno == errno.ELOOP:
            refuse(said("it is a link"))
        raise
    return data if len(data) <= MAX_LOADED else refuse(said("it is larger than {value} MB", value=MAX_LOADED >> 20))


def answers(submission: Submission) -> list[tuple[Exercise, Answer]]:
    """The exercises of a submission's lesson, each with its answer as far as the cells hold one."""
    exercises = lessons.of_lesson(submission.lesson) if submission.lesson else []
    return [(exercise, answer(submission, exercise)) for exercise in exercises]


def answer(submission: Submission, exercise: Exercise) -> Answer:
    """The answer to an exercise, as far as the cells hold one."""
    return extract.extract(submission.cells, exercise.names, submission.called)


def is_blank(exercise: Exercise, answer: Answer) -> bool:
    """Whether an answer is the course's stub, whatever is in it."""
    try:
        return blank.is_blank(exercise, answer)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def read(data: bytes, name: str = "", asked: Collection[str] | None = None) -> Submission:
    """Read a notebook: its code cells, and the lesson that it answers. name: its path, which can name the lesson.
    asked: the lessons of the assignment, None for all.

    Where the path ends in .py, the file is Python, and its cells are those of jupytext's percent format, or of a script
    that nbconvert made.
    """
    submission = Submission()
    if not data.strip():
        submission.problems.append(said("the file is empty"))
        return submission
    if _values(data) > MAX_VALUES and not file_names.is_python(name):
        data = mending.without_outputs(data)
    # Each value begins behind one of these, and takes a hundred times the memory of its text. Those in strings count
    # as well.
    if _values(data) > MAX_VALUES:
        submission.problems.append(
            said("the file holds more than {MAX_VALUES} JSON values, so it was not read", MAX_VALUES=f"{MAX_VALUES:,}")
        )
        return submission
    notebook, cells = {}, []
    try:
        text, remarks = mending.decoded(data)
        if file_names.is_python(name):
            text, mended = mending.without_conflicts(text)
            cells, problem = _bounded(percent.cells(text))
        else:
            notebook, mended = mending.notebook(text)
            cells, problem = _cells(notebook)
        submission.problems += [problem] if problem else []
        remarks += mended
    except RecursionError:
        submission.problems.append(said("the file is nested too deeply to be a notebook"))
    except mending.Unreadable as error:
        submission.problems.append(message(error))
    if not submission.problems:
        cells, found = _with_answers_elsewhere(notebook, cells)
        remarks += found
        submission.lesson, submission.problems = lesson_of(notebook, [cell.text for cell in cells], name, asked)
        submission.problems += [*remarks, *_saved_as(name)]
        ordered = run_order.in_run_order(cells)
        submission.cells = [cell.text for cell in ordered]
        submission.called = [cell.called for cell in ordered]
        submission.checks = run_order.checks(ordered)
        submission.in_file = cells
        submission.language = _code_of(_named_by_metadata(notebook)) or _code_of(_named_by_cells(cells))
    return submission


def _saved_as(name: str) -> list[str]:
    """A sentence about a notebook whose name has another ending than a notebook's."""
    *_, ending = name.rpartition(".")
    odd = file_names.is_notebook(name) and ending.lower() in ("txt", "json")
    return [said("its name ends in .{ending}: it was read as a notebook", ending=ending)] if odd else []


def _values(data: bytes) -> int:
    """How many JSON values a text may hold."""
    return sum(data.count(sign) for sign in (b",", b"[", b"{"))


def _code_of(language) -> str | None:
    """The code of a language, None for anything else."""
    return language if isinstance(language, str) and re.fullmatch(r"\w{2,20}", language) else None


def _named_by_metadata(notebook: dict):
    """The language that the course wrote into a notebook's metadata. Any file may hold anything there."""
    for key in ("metadata", "five_passes", "language"):
        notebook = notebook.get(key) if isinstance(notebook, dict) else None
    return notebook


def _named_by_cells(cells: list[CodeCell]) -> str | None:
    """The language that the first cell to name one names."""
    return next(filter(None, (named_in(cell.text) for cell in cells)), None)


def _cells(notebook) -> tuple[list[CodeCell], str | None]:
    """(the code cells, a sentence about a fault or None), for nbformat 3 and 4."""
    if not isinstance(notebook, dict):
        return [], said("no notebook: the JSON holds a {name}, not an object", name=type(notebook).__name__)
    cells = _listed_cells(notebook)
    if cells is None:
        return [], said("no notebook: the file has no list of cells")
    code = (_code_cell(cell) for cell in cells if cell.get("cell_type") == "code")
    return _bounded([cell for cell in code if cell is not None])


def _listed_cells(notebook: dict) -> list[dict] | None:
    """The cells of a notebook, whatever their kind; None where it has no list of them."""
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [s.get("cells") for s in notebook["worksheets"] if isinstance(s, dict)]
        cells = [c for s in sheets if isinstance(s, list) for c in s]
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else None


def _with_answers_elsewhere(notebook: dict, cells: list[CodeCell]) -> tuple[list[CodeCell], list[str]]:
    """(the code cells, and those of other kinds that hold an answer; a sentence about each of the latter).

    A key pressed by mistake makes text of a cell. Such a cell is read where it is Python and defines what an exercise
    asks for and no code cell defines.
    """
    asked = {name: each.id for each in lessons.exercises().values() for name in each.names}
    asked_for = re.compile(rf"^(?:def[ \t]+|class[ \t]+)?(?:{'|'.join(map(re.escape, asked))})\b", re.MULTILINE)
    defined = extract.definitions([cell.text for cell in cells])
    code, found, remarks = iter(cells), [], []
    for cell in (_listed_cells(notebook) or []) if notebook else []:
        read = _code_cell(cell)
        kind = cell.get("cell_type")
        if kind == "code":
            found += [next(code)] if read is not None else []
        elif kind in ("markdown", "raw") and read is not None and len(read.text) <= MAX_CODE:
            text = _FENCED.sub(r"\1", read.text)
            if not asked_for.search(text):
                continue
            answers = [name for name in extract.definitions([text]) if name in asked and not defined[name]]
            if answers:
                called = said("a {kind} cell", kind=kind)
                found.append(CodeCell(text, called=called))
                remarks.append(
                    said(
                        "{name} of {exercise} stands in a cell of the kind {kind}, not in a code cell: it was read as "
                        "code",
                        name=answers[0],
                        exercise=asked[answers[0]],
                        kind=kind,
                    )
                )
    bounded, problem = _bounded(found)
    return (bounded, remarks) if remarks and not problem else (cells, [])


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
            called=cell.called
            or (said("In [{count}]", count=cell.count) if cell.count else said("code cell {number}", number=number)),
        )
        for number, cell in enumerate(cells, 1)
    ]
    return cells, None if cells else said("the notebook has no code cells")
