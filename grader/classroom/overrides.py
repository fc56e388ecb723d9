"""A person's word about points: overrides.csv, with columns student, exercise, points, comment, by, date.

It is applied to rows where they are exported, so it survives every regrade. points: a number, or "exempt". exercise:
such as 4.1, or a lesson such as 04, whose points it sets as a whole. Of several lines of a student about one exercise
the last one counts.
"""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

from .. import lessons
from ..sentence import Said, counted, joined, listed, message, said
from . import tables
from .sanitize import plain

FILE = "overrides.csv"
COLUMNS = ("student", "exercise", "points", "comment", "by", "date")
_HEADERS = {
    "student": ("student", "学生"), "exercise": ("exercise", "lesson", "练习"), "points": ("points", "score", "分数"),
    "comment": ("comment", "comments", "评语"), "by": ("by", "批改人"), "date": ("date", "日期"),
}  # fmt: skip
_NEEDED = ("student", "exercise", "points")
_EXEMPT = ("exempt", "ex", "excused", "免做")
_MAX_POINTS, _MAX_TEXT = 1e6, 1000


class NoOverrides(Exception):
    """The file cannot be read at all. The message says why."""


@dataclass(frozen=True)
class Override:
    """A line. line: its number in the file. student: as it is written there. exercise: the id of an exercise, or a
    lesson of the outline. points: None for exempt.
    """

    line: int
    student: str
    exercise: str
    points: float | None
    comment: str = ""
    by: str = ""
    date: str = ""

    @property
    def lesson(self) -> str:
        """The lesson that it is about, such as "04"."""
        return lessons.number_of(self.exercise)

    @property
    def of_lesson(self) -> bool:
        """Whether it is about a whole lesson."""
        return "." not in self.exercise

    @property
    def sentence(self) -> Said:
        """What a report says of it."""
        what = said("exempt") if self.points is None else said("set to {points}", points=counted(self.points, "point"))
        who = said("{what} by {by}", what=what, by=self.by) if self.by else said("{what} by hand", what=what)
        when = said("{who}, {date}", who=who, date=self.date) if self.date else who
        return said("{when}: {comment}", when=when, comment=self.comment) if self.comment else when


def read(file: pathlib.Path) -> tuple[list[Override], list[Said]]:
    """(the lines that are good, a sentence for each bad one, with its number). Raises NoOverrides."""
    try:
        table = tables.read(file)
    except tables.NotATable as error:
        raise NoOverrides(joined("{one}: {two}", [str(file), message(error)])) from None
    columns = table.columns(_HEADERS)
    if missing := [name for name in _NEEDED if name not in columns]:
        raise NoOverrides(
            said(
                "{file}: it has no column {missing}; its first line names the columns: {list}",
                file=str(file), missing=listed(missing), list=listed(COLUMNS),
            )
        )  # fmt: skip
    good, bad = [], []
    for number, fields in table.under(columns):
        get = {name: plain(fields.get(name, ""))[:_MAX_TEXT] for name in COLUMNS}
        exercise, points, why = exercise_of(get["exercise"]), _points(get["points"]), None
        if not get["student"]:
            why = said("no student is named")
        elif exercise is None:
            why = said("{exercise} is no exercise and no lesson of the course", exercise=repr(get["exercise"]))
        elif points is _WRONG:
            why = said('{points} is no number of points, and not "exempt"', points=repr(get["points"]))
        if why:
            bad.append(said("{file}: line {number} has no effect: {why}", file=str(file), number=number, why=why))
        else:
            more = get["comment"], get["by"], get["date"]
            good.append(Override(number, fields["student"], exercise, points, *more))
    return good, bad


def exercise_of(text: str) -> str | None:
    """The id of the exercise, such as "4.1", or the lesson, such as "04", that a text names; else None."""
    if text in lessons.exercises():
        return text
    if re.fullmatch(r"0?[0-9]\.[0-9]{1,3}", text) and text.removeprefix("0") in lessons.exercises():
        return text.removeprefix("0")
    number = text.zfill(2) if re.fullmatch(r"[0-9]{1,2}", text) else None
    return number if number in lessons.OUTLINE else None


_WRONG = object()


def _points(text: str):
    if text.casefold() in _EXEMPT:
        return None
    number = text.replace(",", ".") if text.count(",") == 1 and "." not in text else text
    if not re.fullmatch(r"\+?([0-9]{1,7}(\.[0-9]{0,6})?|\.[0-9]{1,6})", number):
        return _WRONG
    return float(number) if float(number) <= _MAX_POINTS else _WRONG
