"""A gradebook exported from Canvas: its students and its score columns. All other bytes stay unchanged."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..classroom import file_names
from ..sentence import said

_POINTS = "Points Possible"
_TEST_STUDENT = "Student, Test"
_READ_ONLY = "(read only)"
_IDENTITY = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section")


class NotAGradebook(Exception):
    """The file has no header row as Canvas writes it."""


class NothingFits(Exception):
    """No score would be filled in, as where the file is that of another class. The message says why."""


@dataclass(frozen=True)
class Student:
    """The row of a student in the gradebook."""

    row: int
    name: str  # Lovelace, Ada
    id: str
    others: tuple[str, ...]  # the SIS user id and the login that the row has


@dataclass(frozen=True)
class Column:
    """A column for the scores of an assignment. points: its value in the row "Points Possible"."""

    at: int
    name: str  # as in the header, with Canvas' own number in brackets
    points: float | None

    @property
    def title(self) -> str:
        """The name without Canvas' number."""
        return re.sub(r"\s*\([0-9]+\)$", "", self.name)


class Gradebook:
    """The fields of the file, each with the separator or line end behind it. Raises NotAGradebook."""

    def __init__(self, data: bytes):
        text = data.decode("utf-8", "surrogateescape")
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(self._mark)
        header = re.match(r"[^\r\n]*", text)[0]
        self._separator = ";" if header.count(";") > header.count(",") else ","
        self._rows = list(_rows(text, self._separator))
        names = [self.value(0, i) for i in range(len(self._rows[0]))] if self._rows else []
        if "Student" not in names or "ID" not in names:
            raise NotAGradebook(
                said("it has no header row with Student and ID, as a gradebook exported from Canvas has")
            )
        self._at = {name: names.index(name) for name in _IDENTITY if name in names}
        self.students, possible = [], [""] * len(names)
        for row in range(1, len(self._rows)):
            name, number = self._field(row, "Student"), self._field(row, "ID")
            if name == _POINTS:
                possible = [self.value(row, i) for i in range(len(names))]
            elif number and name != _TEST_STUDENT:
                others = self._field(row, "SIS User ID"), self._field(row, "SIS Login ID")
                self.students.append(Student(row, name, number, tuple(filter(None, others))))
        self.columns = [
            Column(i, name, _number(possible[i]))
            for i, name in enumerate(names)
            if name and i not in self._at.values() and _READ_ONLY not in possible[i] + name
        ]

    def _field(self, row: int, name: str) -> str:
        return self.value(row, self._at[name]) if name in self._at else ""

    def value(self, row: int, at: int) -> str:
        """The text of a field without its quotes and outer spaces; empty if the row is too short."""
        fields = self._rows[row]
        return unicodedata.normalize("NFC", _value(fields[at][0])) if at < len(fields) else ""

    def put(self, row: int, at: int, value: str) -> None:
        """Put a number into a field."""
        fields = self._rows[row]
        while len(fields) <= at:
            fields.append(["", fields[-1][1]])
            fields[-2][1] = self._separator
        fields[at][0] = value

    def bytes(self) -> bytes:
        """The bytes of the file."""
        text = self._mark + "".join(raw + after for fields in self._rows for raw, after in fields)
        return text.encode("utf-8", "surrogateescape")


def _rows(text: str, separator: str):
    """Rows of [field, separator or line end behind it], with the quotes of a field."""
    field = re.compile(rf'("(?:[^"]|"")*"|[^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)')
    place, row = 0, []
    while place < len(text) or row:
        found = field.match(text, place)
        place = found.end()
        row.append([found[1], found[2]])
        if found[2] != separator:
            yield row
            row = []


def _value(raw: str) -> str:
    quoted = len(raw) > 1 and raw[0] == raw[-1] == '"'
    return (raw[1:-1].replace('""', '"') if quoted else raw).strip()


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def columns_for(columns: list[Column], lesson: str, points: float) -> list[Column]:
    """The columns whose title fits a lesson best: by slug or "lesson 4", else by "04", else by "4" and the same points.

    Of several columns a person has to choose one.
    """
    number = str(int(lesson))
    rules = (
        lambda c: file_names.lesson(c.title) == lesson,
        lambda c: file_names.lesson(c.title) is None and re.search(rf"(?<![0-9]){lesson}(?![0-9])", c.title),
        lambda c: (
            file_names.lesson(c.title) is None
            and c.points == points
            and re.search(rf"(?<![0-9]){number}(?![0-9])", c.title)
        ),
    )
    return next((found for rule in rules if (found := [c for c in columns if rule(c)])), [])


def students_for(students: list[Student], key: str, canvas: tuple[str, str] | None) -> list[Student]:
    """The students that match a submission: by Canvas' id, by login or SIS id, else by name. Usually there is one."""
    if canvas:
        name, number = canvas
        by_name = (s for s in students if not s.id and _flat(s.name) == _flat(name))  # another id is another student's
        return [s for s in students if s.id == number] or [*by_name]
    key, flat = key.strip().casefold(), _flat(key)
    rules = (
        lambda s: key in (s.id, *(other.casefold() for other in s.others)),
        lambda s: key in [other.casefold().partition("@")[0] for other in s.others],
        lambda s: flat and flat in (_flat(s.name), _flat("".join(s.name.partition(",")[::-1]))),
    )
    return next((found for rule in rules if (found := [s for s in students if rule(s)])), [])


def _flat(name: str) -> str:
    """A name in the form of Canvas' file names: letters and digits in lower case."""
    return re.sub(r"\W", "", name).casefold()
