"""Which of a student's files for one lesson counts: the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from . import file_names
from .submissions import SubmittedFile


def order(name: str, student: str, handed_in: str | None) -> tuple:
    """A sort key for the files of one student, which puts the last attempt last.

    By the time at which they were handed in, where it is known; then by their names.
    """
    return handed_in or "", file_names.of_student(name, student).order, name


@dataclass(frozen=True)
class Superseded:
    """A file that a later one of the same student for the same lesson replaces. by: the last one's name."""

    lesson: str
    by: str


def superseded(
    files: Iterable[SubmittedFile], lessons_of: Callable[[list[SubmittedFile]], Iterable[str | None]]
) -> dict[str, Superseded]:
    """The files that are not the last one of their student for their lesson, by name.

    lessons_of: the lesson of each file, from its content. It gets only files of students of whom two files may be for
    one lesson, by their names.
    """
    of_student: dict[str, list[SubmittedFile]] = {}
    for file in files:
        of_student.setdefault(file.student, []).append(file)
    unclear = [file for mine in of_student.values() if _may_clash(mine) for file in mine]
    last, found = {}, {}
    placed = sorted(zip(unclear, lessons_of(unclear)), key=lambda each: _key(each[0]))
    for file, lesson in placed:
        last[file.student, lesson] = file.name
    for file, lesson in placed:
        if lesson is not None and last[file.student, lesson] != file.name:
            found[file.name] = Superseded(lesson, last[file.student, lesson])
    return found


def _key(file: SubmittedFile) -> tuple:
    return file.student, *order(file.name, file.student, file.handed_in)


def _may_clash(files: list[SubmittedFile]) -> bool:
    """Whether two files of one student may be for one lesson, by their names."""
    named = [file_names.of_student(file.name, file.student).lesson for file in files]
    return len(files) > 1 and (None in named or len(set(named)) < len(named))
