"""A gradebook exported from Canvas: who is in it, and which columns take scores. All other bytes stay as they are."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..classroom import file_names

_POINTS = "Points Possible"
_TEST_STUDENT = "Student, Test"
_READ_ONLY = "(read only)"
_IDENTITY = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section")


class NotAGradebook(Exception):
    """The file has no header row as Canvas writes it."""


@dataclass(frozen=True)
class Student:
    """A row of the gradebook that stands for a student."""

    row: int
    name: str  # Lovelace, Ada
    id: str
    others: tuple[str, ...]  # SIS user id and login, as far as there are any


@dataclass(frozen=True)
class Column:
    """A column that takes the scores of an assignment. points: what it has in the row "Points Possible"."""

    at: int
    name: str  # as in the header, with Canvas' own number in brackets
    points: float | None

    @property
    def title(self) -> str:
        """The name without Canvas' number."""
        return re.sub(r"\s*\([0-9]+\)$", "", self.name)


class Gradebook:
    """The fields of the file, each with what stands between it and the next."""

    def __init__(self, data: bytes):
        text = data.decode("utf-8", "surrogateescape")
        self._mark = "\ufeff" if text.startswith("\ufeff") else ""
        text = text.removeprefix(self._mark)
        header = re.match(r"[^\r\n]*", text)[0]
        self._separator = ";" if header.count(";") > header.count(",") else ","
        self._rows = list(_rows(text, self._separator))
        names = [self.value(0, i) for i in range(len(self._rows[0]))] if self._rows else []
        if "Student" not in names or "ID" not in names:
            raise NotAGradebook("it has no header row with Student and ID, as a gradebook exported from Canvas has")
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
        """The text of a field without quotes and spaces around it; empty where a row is too short."""
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
        """The file."""
        text = self._mark + "".join(raw + after for fields in self._rows for raw, after in fields)
        return text.encode("utf-8", "surrogateescape")


def _rows(text: str, separator: str):
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
    """The columns whose title fits a lesson best: by slug or "lesson 4", by "04" anywhere, by a lone 4 and its points.

    More than one is for a person to choose from.
    """
    number = str(int(lesson))
    tiers = (
        lambda c: file_names.lesson(c.title) == lesson,
        lambda c: file_names.lesson(c.title) is None and re.search(rf"(?<![0-9]){lesson}(?![0-9])", c.title),
        lambda c: (
            file_names.lesson(c.title) is None
            and c.points == points
            and re.search(rf"(?<![0-9]){number}(?![0-9])", c.title)
        ),
    )
    return next((found for tier in tiers if (found := [c for c in columns if tier(c)])), [])


def students_for(students: list[Student], key: str, canvas: tuple[str, str] | None) -> list[Student]:
    """The students that a submission may be of: by Canvas' id, login or SIS id, else by name. One, if all is well."""
    if canvas:
        name, number = canvas
        return [s for s in students if s.id == number] or [s for s in students if _flat(s.name) == _flat(name)]
    key, flat = key.strip().casefold(), _flat(key)
    ways = (
        lambda s: key in (s.id, *(other.casefold() for other in s.others)),
        lambda s: key in [other.casefold().partition("@")[0] for other in s.others],
        lambda s: flat and flat in (_flat(s.name), _flat("".join(s.name.partition(",")[::-1]))),
    )
    return next((found for way in ways if (found := [s for s in students if way(s)])), [])


def _flat(name: str) -> str:
    """A name as Canvas puts it into file names: lower case, nothing but letters and digits."""
    return re.sub(r"\W", "", name).casefold()
