"""An assignment as a file, assignment.toml: what counts, for how many points, until when, and who is expected.

    lessons = ["04", "05"]
    due = 2026-11-20T23:59:00+01:00
    attempt = "best"                 # or "last"
    roster = "gradebook.csv"         # several: ["gradebook.csv", "classroom_roster.csv"]
    leave_out = ["4.2"]
    late = { percent_a_day = 10 }    # or "platform": what lateness costs is not decided here
    [points]
    "4.1" = 5
    [weights]
    "05" = 2

It is applied to rows where they are exported: points of an exercise are scaled, and nothing is judged anew.
"""

from __future__ import annotations

import datetime
import json
import math
import pathlib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from .. import atomic_files, lessons
from ..racing import race as racing
from ..sentence import Said, joined, listed, message, said
from . import file_names
from .roster import NotARoster, Roster, of_tables

_KEPT = "assignment.json"  # in a folder of results: the assignment that it was graded for
_KEYS = ("name", "lessons", "points", "weights", "leave_out", "due", "late", "attempt", "roster", "race")
_LATE_KEYS = ("percent_a_day", "grace_minutes", "most_days")
_MAX_POINTS = 1e6
_MAX_SHARE = 2.0  # of a copy's speed; honest softmaxes of short rows reach 1.26 of PyTorch's copy
_DAY = 24 * 60 * 60.0


class NoAssignment(Exception):
    """The file is no assignment. The message has a sentence for each of its faults, with the key."""


@dataclass(frozen=True)
class Late:
    """What lateness costs: so many percent of the points for each day that has begun, after some minutes of grace.

    most_days: days after which nothing counts.
    """

    percent_a_day: float
    grace_minutes: float = 0.0
    most_days: float = math.inf


@dataclass(frozen=True)
class Source:
    """What an assignment was read from. file: None for --lessons. rosters: {name: bytes}, as they were then."""

    text: str
    file: str | None = None
    rosters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Assignment:
    """What counts of a class's work.

    lessons: numbers of the outline, in its order. points: {exercise: points in place of the course's own}. weights:
    {lesson: factor of all its points}. due: {lesson: when}, in UTC. late: None where the platform decides what lateness
    costs. attempt: which of several files for a lesson counts. race: {exercise: share of a copy that earns all its
    points}; of an exercise that is not there, a race costs no points.
    """

    lessons: tuple[str, ...]
    name: str = ""
    points: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    leave_out: frozenset[str] = frozenset()
    due: Mapping[str, datetime.datetime] = field(default_factory=dict)
    late: Late | None = None
    attempt: str = "last"
    roster: Roster = field(default_factory=Roster)
    race: Mapping[str, float] = field(default_factory=dict)
    source: Source = Source("")

    def points_of(self, exercise: str, of_course: float) -> float:
        """The points of an exercise; of_course: those that the course gives it. 0 if it is left out."""
        if exercise in self.leave_out:
            return 0.0
        return self.points.get(exercise, of_course) * self.weights.get(lessons.number_of(exercise), 1.0)

    def possible(self, lesson: str) -> float:
        """The most points of a lesson, without bonus exercises."""
        return sum(self.points_of(e.id, float(e.points)) for e in lessons.of_lesson(lesson) if not e.bonus)

    def days_late(self, lesson: str, handed_in: str | None) -> int | None:
        """Days that have begun since the lesson was due, 0 for a file in time, None where a time is not known.

        handed_in: in UTC, as in a row.
        """
        if handed_in is None or lesson not in self.due:
            return None
        then = datetime.datetime.fromisoformat(handed_in).replace(tzinfo=datetime.UTC)
        seconds = (then - self.due[lesson]).total_seconds()
        grace = 60.0 * self.late.grace_minutes if self.late else 0.0
        return math.ceil(seconds / _DAY) if seconds > grace else 0

    def kept_share(self, days: int | None) -> float:
        """The share of the points that a file keeps which is so many days late: 1 where lateness costs nothing."""
        if self.late is None or not days:
            return 1.0
        return 0.0 if days > self.late.most_days else max(1 - days * self.late.percent_a_day / 100, 0.0)


def load(file: pathlib.Path) -> Assignment:
    """The assignment in a file; rosters are looked for beside it. Raises NoAssignment."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        why = error.strerror or error
        raise NoAssignment(said("{file} cannot be read: {value}", file=str(file), value=why)) from None
    except UnicodeDecodeError:
        raise NoAssignment(said("{file} is no text in UTF-8", file=str(file))) from None
    return _parsed(text, str(file.absolute()), lambda name: (file.parent / name).read_bytes())


def of_lessons(names: str) -> Assignment:
    """The assignment of some lessons, such as "04,05". Raises NoAssignment."""
    text = f"lessons = {json.dumps([name.strip() for name in names.split(',')])}"
    return _parsed(text, None, lambda name: b"")


def named(file: pathlib.Path | None, names: str | None) -> Assignment | None:
    """The assignment that a command line names, by --assignment or --lessons. Raises NoAssignment."""
    if file and names:
        raise NoAssignment(said("--lessons stands in the place of --assignment: name one of them"))
    return load(file) if file else of_lessons(names) if names else None


def keep(assignment: Assignment, folder: pathlib.Path) -> None:
    """Store an assignment in a folder of results, for later exports. Raises OSError."""
    kept = vars(assignment.source) | {"rosters": dict(assignment.source.rosters)}
    atomic_files.write(folder / _KEPT, json.dumps(kept, indent=1), sync=True)


def adopt(folder: pathlib.Path, parts: Iterable[pathlib.Path]) -> None:
    """Keep the assignment of the first of these folders that has one, unless `folder` has one. Raises OSError."""
    if not (folder / _KEPT).exists() and (have := [part for part in parts if (part / _KEPT).is_file()]):
        atomic_files.write(folder / _KEPT, (have[0] / _KEPT).read_bytes(), sync=True)


def kept(folder: pathlib.Path) -> Assignment | None:
    """The assignment that a folder of results was graded for, None if for none. Raises NoAssignment.

    It is read from its file as that is now; where the file is gone, as it was kept.
    """
    try:
        found = json.loads((folder / _KEPT).read_bytes())
        text, file, rosters = found["text"], found["file"], dict(found["rosters"])
        rosters = {str(name): str(table).encode("utf-8", "surrogateescape") for name, table in rosters.items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        where = str(folder / _KEPT)
        raise NoAssignment(said("{where} is damaged: name the assignment with --assignment", where=where)) from None
    if isinstance(file, str) and pathlib.Path(file).is_file():
        return load(pathlib.Path(file))
    return _parsed(str(text), file if isinstance(file, str) else None, rosters.__getitem__)


def _parsed(text: str, file: str | None, load_roster: Callable[[str], bytes]) -> Assignment:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NoAssignment(said("{file} is not TOML: {error}", file=str(file), error=error)) from None
    reader = _Reader(data)
    found = reader.assignment(load_roster)
    if reader.faults:
        faults = joined("{one}; {two}", reader.faults)
        where = said("{file} is no assignment: {faults}", file=file, faults=faults) if file else faults
        raise NoAssignment(where)
    rosters = {name: table.decode("utf-8", "surrogateescape") for name, table in reader.rosters.items()}
    return Assignment(**found, source=Source(text, file, rosters))


class _Reader:
    """The values of assignment.toml, and a sentence for each that is wrong."""

    def __init__(self, data: dict):
        self.data, self.faults, self.rosters = data, [], {}

    def assignment(self, load_roster: Callable[[str], bytes]) -> dict:
        for key in self.data:
            if key not in _KEYS:
                self.fault(key, said("no such key; the keys are {list}", list=listed(_KEYS)))
        self.lessons = self._lessons()
        self.ids = {e.id: e for number in self.lessons for e in lessons.of_lesson(number)}
        leave_out = self._leave_out()
        points = {id: self._number(f"points.{id}", value) for id, value in self._of_exercises("points").items()}
        for id in points.keys() & leave_out:
            self.fault(f"points.{id}", said("it is in leave_out, too"))
        late = self._late()
        return {
            "lessons": tuple(self.lessons), "name": self._name(), "points": points, "weights": self._weights(),
            "leave_out": leave_out, "due": self._due(late), "late": late,
            "attempt": self._attempt(), "roster": self._roster(load_roster), "race": self._race(leave_out),
        }  # fmt: skip

    def fault(self, key: str, why: Said | str) -> None:
        self.faults.append(said("{key}: {why}", key=key, why=why))

    def _name(self) -> str:
        name = self.data.get("name", "")
        if not isinstance(name, str) or len(name) > 200:
            self.fault("name", said("a short text is expected"))
        return str(name)

    def _lessons(self) -> list[str]:
        given = self.data.get("lessons")
        if not isinstance(given, list) or not given:
            self.fault("lessons", said('a list such as ["04", "05"] is expected'))
            return []
        found = []
        for each in given:
            number = _lesson(each)
            if number is None:
                self.fault("lessons", said("the course has no lesson {each}", each=repr(each)))
            elif number in found:
                self.fault("lessons", said("{number} stands there twice", number=number))
            else:
                found.append(number)
        return sorted(found)

    def _leave_out(self) -> frozenset[str]:
        given = self.data.get("leave_out", [])
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            self.fault("leave_out", said('a list such as ["4.2"] is expected'))
            return frozenset()
        for each in given:
            self._known("leave_out", each)
        for number in self.lessons:
            if {e.id for e in lessons.of_lesson(number)} <= set(given):
                self.fault("leave_out", said("nothing is left of lesson {number}", number=number))
        return frozenset(given)

    def _known(self, key: str, exercise: str) -> bool:
        if exercise not in self.ids:
            known = exercise in lessons.exercises()
            why = said("{exercise} is of a lesson that does not stand in lessons", exercise=repr(exercise))
            self.fault(key, why if known else said("the course has no exercise {exercise}", exercise=repr(exercise)))
        return exercise in self.ids

    def _of_exercises(self, key: str) -> dict[str, object]:
        """{exercise: value} of a table. In TOML, 4.1 without quotes is a table in a table."""
        given, found = self._table(key), {}
        for name, value in given.items():
            inner = value if isinstance(value, dict) else None
            found |= {f"{name}.{rest}": each for rest, each in inner.items()} if inner is not None else {name: value}
        return {id: value for id, value in found.items() if self._known(key, id)}

    def _weights(self) -> dict[str, float]:
        found = {}
        for name, value in self._table("weights").items():
            number = _lesson(name)
            if number not in self.lessons:
                self.fault("weights", said("{name} does not stand in lessons", name=repr(name)))
            else:
                found[number] = self._number(f"weights.{name}", value)
        return found

    def _due(self, late: Late | None) -> dict[str, datetime.datetime]:
        given, found = self.data.get("due", {}), {}
        for name, value in (given if isinstance(given, dict) else dict.fromkeys(self.lessons, given)).items():
            key, number = ("due", name) if not isinstance(given, dict) else (f"due.{name}", _lesson(name))
            if number not in self.lessons:
                self.fault(key, said("{name} does not stand in lessons", name=repr(name)))
            elif not isinstance(value, datetime.datetime) or value.tzinfo is None:
                self.fault(key, said("a time with its zone is expected, such as 2026-11-20T23:59:00+01:00"))
                break
            else:
                found[number] = value.astimezone(datetime.UTC)
        if late and not given:
            self.fault("late", said("it costs nothing without a time at which work is due: add due"))
        return found

    def _late(self) -> Late | None:
        given = self.data.get("late", "platform")
        if given == "platform":
            return None
        if not isinstance(given, dict) or "percent_a_day" not in given:
            self.fault("late", said('"platform" or {example} is expected', example="{ percent_a_day = 10 }"))
            return None
        for key in given:
            if key not in _LATE_KEYS:
                self.fault(f"late.{key}", said("no such key; the keys are {list}", list=listed(_LATE_KEYS)))
        values = {key: self._number(f"late.{key}", given[key]) for key in _LATE_KEYS if key in given}
        if values["percent_a_day"] > 100:
            self.fault("late.percent_a_day", said("at most 100 is expected"))
        return Late(**values)

    def _attempt(self) -> str:
        given = self.data.get("attempt", "last")
        if given not in ("last", "best"):
            self.fault("attempt", said('"last" or "best" is expected'))
        return str(given)

    def _race(self, leave_out: frozenset[str]) -> dict[str, float]:
        found = {}
        for exercise, value in self._of_exercises("race").items():
            key = f"race.{exercise}"
            if exercise not in racing.exercises():
                able = [each for each in racing.exercises() if each in self.ids]
                self.fault(
                    key,
                    said("it does not race; these do: {list}", list=listed(able))
                    if able
                    else said("no exercise of these lessons races: leave it out"),
                )
            elif exercise in leave_out:
                self.fault(key, said("it is in leave_out, too"))
            elif isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= _MAX_SHARE:
                most = f"{_MAX_SHARE:g}"
                self.fault(key, said("a share of a copy's speed is expected, above 0 and at most {most}", most=most))
            else:
                found[exercise] = float(value)
        return found

    def _roster(self, load: Callable[[str], bytes]) -> Roster:
        given = self.data.get("roster", [])
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            self.fault("roster", said("the name of a file is expected, or a list of names"))
            return Roster()
        for name in names:
            try:
                self.rosters[name] = load(name)
            except (OSError, ValueError, KeyError) as error:
                why = getattr(error, "strerror", None) or error
                self.fault("roster", said("{name} cannot be read: {why}", name=repr(name), why=why))
        try:
            return of_tables(self.rosters.items())
        except NotARoster as error:
            self.fault("roster", message(error))
            return Roster()

    def _table(self, key: str) -> dict:
        given = self.data.get(key, {})
        if not isinstance(given, dict):
            example = '"5.2" = 0.7' if key == "race" else '"04" = 2'
            self.fault(key, said("a table is expected, with a line such as {example}", example=example))
            return {}
        return given

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MAX_POINTS:
            self.fault(key, said("a number from 0 to {most} is expected", most=f"{_MAX_POINTS:,.0f}"))
            return 0.0
        return float(value)


def _lesson(name: object) -> str | None:
    """The lesson that a number or a name means: 4, "04", "one_row"."""
    if isinstance(name, bool) or not isinstance(name, (int, str)):
        return None
    text = str(name).strip()
    if text.isdecimal():
        return text.zfill(2) if text.zfill(2) in lessons.OUTLINE else None
    return file_names.lesson(text)
