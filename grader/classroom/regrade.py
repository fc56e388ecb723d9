"""Regrade requests: a CSV file with columns student and exercise says whose files are graded again.

exercise may be an exercise, a lesson, or empty for all that the student handed in.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .. import lessons
from ..sentence import Said, counted, joined, message, said
from . import file_names, overrides, tables
from .roster import Person, Roster, stranger
from .rows import Row
from .sanitize import plain
from .submissions import SubmittedFile

_HEADERS = {"student": ("student", "学生"), "exercise": ("exercise", "lesson", "练习", "课")}


class NoRequests(Exception):
    """The file cannot be read as a list of requests. The message says why."""


@dataclass(frozen=True)
class Request:
    """A line. exercise: an exercise, a lesson, or "" for all. unknown: whether it names none of the course's."""

    line: int
    student: str
    exercise: str
    unknown: bool = False

    @property
    def lesson(self) -> str | None:
        """The lesson that it is about, None for all."""
        return lessons.number_of(self.exercise) if self.exercise else None

    def points(self, row: Row) -> float:
        """The points in a row for what it is about."""
        return sum(e["score"] for e in row["exercises"] if "." not in self.exercise or e["id"] == self.exercise)


@dataclass
class Requests:
    """The requests of a file, and after `find` the names of the files that they ask for."""

    lines: list[Request]
    files: set[str] = field(default_factory=set)
    unmet: list[Said] = field(default_factory=list)
    _rows: dict[tuple[int, str], float] = field(default_factory=dict)  # points before, by line and file

    def find(self, files: list[SubmittedFile], rows: Iterable[Row], roster: Roster | None) -> None:
        """Look up the files of all requests. rows: those of the last run."""
        of_file: dict[str, list[Row]] = {}
        for row in rows:
            of_file.setdefault(row["submission"], []).append(row)
        who = {file.name: _student(file, roster or Roster()) for file in files}
        everyone = Roster(dict.fromkeys([*(roster or ()), *who.values()]))
        for request in self.lines:
            people, why = everyone.find(request.student), None
            if len(people) != 1:
                name = repr(plain(request.student))
                why = (
                    said("{who} may be several students", who=name) if people else said("no student is {who}", who=name)
                )
            mine = [file for file in files if [who[file.name]] == people]
            found = [file for file in mine if _may_be(file, of_file.get(file.name, []), request.lesson)]
            if not why and request.unknown:
                why = said("{exercise} is no exercise and no lesson of the course", exercise=repr(request.exercise))
            if not why and not found:
                why = said("no file of this student is about it")
            if why:
                self.unmet.append(said("request in line {number} has no effect: {why}", number=request.line, why=why))
                continue
            self.files |= {file.name for file in found}
            for row in (row for file in found for row in of_file.get(file.name, [])):
                self._rows[request.line, row["submission"]] = request.points(row)

    def answers(self, rows: Iterable[Row]) -> Iterator[Said | str]:
        """What became of each request: points before and after. rows: those of this run."""
        again = [row for row in rows if row["submission"] in self.files]
        after = [row for row in again if row["exercises"]]
        for request in self.lines:
            for row in (row for row in after if (request.line, row["submission"]) in self._rows):
                if request.lesson in (None, row["lesson"]):
                    what = request.exercise or said("lesson {number}", number=row["lesson"])
                    before, now = self._rows[request.line, row["submission"]], f"{request.points(row):g}"
                    about = joined("{one}: {two}", [plain(row["submission"]), what])
                    yield said(
                        "graded again: {about}: {points}, now {now}",
                        about=about,
                        points=counted(before, "point"),
                        now=now,
                    )
            for row in (row for row in again if (request.line, row["submission"]) in self._rows):
                if not row["exercises"] and not row["instead"]:
                    why = joined("{one}; {two}", row["problems"])
                    yield said("read again, and not graded: {file}: {why}", file=plain(row["submission"]), why=why)


def read(file: pathlib.Path) -> Requests:
    """The requests in a file. Raises NoRequests."""
    try:
        table = tables.read(file)
    except tables.NotATable as error:
        raise NoRequests(joined("{one}: {two}", [str(file), message(error)])) from None
    columns = table.columns(_HEADERS)
    if "student" not in columns:
        raise NoRequests(said("{file}: its first line has no column student", file=str(file)))
    found = []
    for number, fields in table.under(columns):
        text = fields.get("exercise", "")
        exercise = overrides.exercise_of(text)
        found.append(Request(number, fields["student"], exercise or plain(text), bool(text) and exercise is None))
    if not found:
        raise NoRequests(said("{file}: it has no request", file=str(file)))
    return Requests(found)


def _student(file: SubmittedFile, roster: Roster) -> Person:
    canvas = file_names.of_student(file.name, file.student).canvas
    people = roster.find_any((file.student, *(file.owner.names if file.owner else ())), canvas)
    return people[0] if len(people) == 1 else stranger(file.student, canvas)


def _may_be(file: SubmittedFile, rows: list[Row], lesson: str | None) -> bool:
    """Whether a file may be about a lesson: by its rows, or without any by its name."""
    known = {row["lesson"] for row in rows} or {file_names.of_student(file.name, file.student).lesson}
    return lesson is None or lesson in known or known == {None}
