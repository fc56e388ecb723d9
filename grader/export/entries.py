"""The rows of results.jsonl for exports: plain text, and a mark on the file that counts."""

from __future__ import annotations

import hashlib
import pathlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from .. import atomic_files
from ..classroom import attempts, file_names
from ..classroom.assignment import Assignment
from ..classroom.overrides import FILE, Override
from ..classroom.roster import Person, Roster, perhaps_one, stranger
from ..classroom.rows import GIVEN_UP, NOT_ASKED, NOT_GRADED, Row
from ..classroom.run_order import DEFINED_TWICE
from ..classroom.sanitize import plain, plain_all, plain_lines
from ..isolation import in_words
from ..sentence import Said, counted, joined, kind_of, listed, said
from ..spec import Record
from . import terms
from .terms import Worth

# What a report says of a student's lesson that has no points.
STANDING = {
    "counts": said("counts"), "exempt": said("exempt"), "unreadable": said("not readable"), "missing": said("missing"),
}  # fmt: skip
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_SHOWN = 20  # names in one sentence


@dataclass(frozen=True)
class Entry:
    """One row.

    row: all text in it is plain (see classroom/sanitize.py), and its points are those that count. worth: what was done
    to them (terms.py). key: the student: as the roster identifies him or her, else unchanged from results.jsonl.
    counted: the submission of the same student for the same lesson that counts, None if it is this one. person: None
    where no roster tells who this is. may_be: the people between whom the roster does not tell. gone: whether the
    last run found other files of the student and no longer this one. names: others by which the student is known, as
    the plan has them.
    """

    row: Row
    key: str
    path_info: file_names.PathInfo
    worth: Worth
    counted: str | None = None
    person: Person | None = None
    may_be: tuple[Person, ...] = ()
    assignment: Assignment | None = None
    gone: bool = False
    names: tuple[str, ...] = ()

    @property
    def email(self) -> str:
        """The student's e-mail address, as the roster or the platform has it; "" where neither does."""
        if self.person and self.person.email:
            return self.person.email
        return next((name for name in (*self.names, self.key) if _ADDRESS.fullmatch(name)), "")

    @property
    def student(self) -> str:
        """The student's name as plain text."""
        return (self.person and self.person.name) or self.row["student"]

    @property
    def section(self) -> str:
        """The student's section or group, "" where no roster says it."""
        return self.person.section if self.person else ""

    @property
    def asked(self) -> bool:
        """Whether its lesson is one of the assignment's."""
        given = self.assignment is None or self.row["lesson"] in self.assignment.lessons
        return given and not any(kind_of(problem) == NOT_ASKED for problem in self.row["problems"])

    @property
    def counts(self) -> bool:
        """Whether its score is the student's score for the lesson."""
        found = self.row["lesson"] is not None and self.asked
        return found and self.counted is None and self.row["instead"] is None

    @property
    def of_file(self) -> bool:
        """Whether the student handed in a file; no, where a person gave points to somebody who did not."""
        return not (self.row["submission"] == FILE and self.row["sha256"] is None and bool(self.row["lesson"]))

    @property
    def exempt(self) -> bool:
        """Whether the student need not do this lesson: it is said of the lesson, or of each exercise with points."""
        of_lesson = [word for word in self.worth.overrides if word.of_lesson]
        if of_lesson:
            return of_lesson[-1].points is None
        return self.worth.exempted > 0 and not self.row["max_score"] and not self.row["score"]

    @property
    def by_hand(self) -> list[Said | str]:
        """A sentence for each of a person's words about its points."""
        return terms.sentences(self.worth)

    @property
    def finished(self) -> bool:
        """Whether all that counts in it was judged, or settled by a person."""
        of_lesson = any(word.of_lesson for word in self.worth.overrides)
        return of_lesson or not (_unread(self) or self.troubled)

    @property
    def troubled(self) -> list[Record]:
        """The exercises on which the grader failed, and which no person settled."""
        settled = {word.exercise for word in self.worth.overrides}
        found = [] if self.row["lesson"] in settled else self.row["exercises"]
        return [e for e in found if {"grader-failed", "grader-error"} & {*e["flags"]} and e["id"] not in settled]


def of(
    rows: Iterable[Row], assignment: Assignment | None = None, overrides: Sequence[Override] = (),
    log: list[str] | None = None, names: Mapping[str, Sequence[str]] = MappingProxyType({}),
    there: Collection[str] = (),
) -> list[Entry]:  # fmt: skip
    """The entries of rows, sorted by student, lesson and attempt.

    overrides: a person's words about points; those of a student who handed in no file for a lesson make an entry of
    their own. log: gets a sentence for each override without effect. names: of a row's student, other names by which
    the roster may know who it is, as the plan has them. there: the files that the last run found; empty where
    that is not known.
    """
    roster = assignment.roster if assignment else Roster()
    found = []
    for row in rows:
        student = row["student"] or row["submission"]
        info = file_names.of_student(row["submission"], student)
        people = roster.find_any((student, *names.get(student, ())), info.canvas)
        person = people[0] if len(people) == 1 else None
        may_be = () if person else tuple(people)
        others = tuple(map(plain, names.get(student, ())))
        key = person.key if person else student
        made = Entry(row, key, info, Worth(row), None, person, may_be, assignment, names=others)
        order = attempts.order(row["submission"], student, row["handed_in"])
        found.append(((made.key, row["lesson"] or "", order), made))
    found.sort(key=lambda each: each[0])
    entries = [entry for _, entry in found]
    words, refused = _words(entries, roster, assignment, overrides)
    if log is not None:
        log += refused
    with_file = {(entry.key, entry.row["lesson"]) for entry in entries if entry.asked and entry.row["instead"] is None}
    for key, lesson in sorted(words.keys() - with_file):
        known = next((entry for entry in entries if entry.key == key), None)
        person = known.person if known else next(each for each in roster if each.key == key)
        info, row = known.path_info if known else file_names.PathInfo(key), terms.without_file(key, lesson)
        entries.append(Entry(row, key, info, Worth(row), None, person, (), assignment))
    entries = _without_order(_without_gone([_valued(entry, words) for entry in entries], there))
    counting = _counting(entries, assignment)
    return [_marked(entry, counting) for entry in entries]


def _words(
    entries: list[Entry], roster: Roster, assignment: Assignment | None, overrides: Sequence[Override]
) -> tuple[dict[tuple[str, str], list[Override]], list[Said]]:
    """({(student, lesson): a person's words about it}, a sentence for each that has no effect)."""
    listed_people = {person.key for person in roster}
    strangers = {entry.key: entry for entry in entries if entry.key not in listed_people}
    everyone = Roster([*roster, *(stranger(key, entry.path_info.canvas) for key, entry in strangers.items())])
    found: dict[tuple[str, str], list[Override]] = {}
    refused = []
    for word in overrides:
        people, why = everyone.find(word.student), None
        most = terms.most(word, assignment)
        if len(people) != 1:
            names = listed([f"{person.name} ({person.key})" for person in people[:_SHOWN]])
            who = repr(plain(word.student))
            why = said("{who} may be {names}", who=who, names=names) if people else said("no student is {who}", who=who)
        elif most is None:
            why = said("{exercise} is no part of the assignment", exercise=word.exercise)
        elif word.points is not None and word.points > most:
            values = {"points": counted(word.points, "point"), "exercise": word.exercise, "most": f"{most:g}"}
            why = said("{points} is more than {exercise} has, which is {most}", **values)
        if why:
            refused.append(said("line {number} of the overrides has no effect: {why}", number=word.line, why=why))
        else:
            found.setdefault((people[0].key, word.lesson), []).append(word)
    return found, refused


def _valued(entry: Entry, words: dict[tuple[str, str], list[Override]]) -> Entry:
    answers = {n: kept | {"text": plain_lines(kept["text"])} for n, kept in (entry.row["answers"] or {}).items()}
    row = plain_all(entry.row | {"student": entry.key, "answers": None})
    row["answers"] = answers if entry.row["answers"] is not None else None
    asked = entry.assignment is None or row["lesson"] in entry.assignment.lessons
    mine = words.get((entry.key, row["lesson"]), [])
    worth = terms.of(row, entry.assignment, mine) if asked else Worth(row)
    return replace(entry, row=worth.row, worth=worth)


def _without_gone(entries: list[Entry], there: Collection[str]) -> list[Entry]:
    """The entries, as gone those in whose place the last run found another file of the student.

    A platform's times and attempts say more, and where files of one student bear several names, the last run may have
    been about one platform of two.
    """
    found = {(e.path_info.student, e.row["lesson"]) for e in entries if e.row["submission"] in there}
    return [
        replace(e, gone=True)
        if e.row["submission"] not in there and (e.path_info.student, e.row["lesson"]) in found
        and e.of_file and e.row["handed_in"] is None and e.path_info.attempt is None
        else e
        for e in entries
    ]  # fmt: skip


def _without_order(entries: list[Entry]) -> list[Entry]:
    """The entries, as undecided those that a student handed in for one lesson at no known time: under several names, or
    in several runs, none of whose plans knew of the others.
    """
    names: dict[tuple, set[str]] = {}
    untimed: Counter[tuple] = Counter()
    for entry in entries:
        names.setdefault((entry.key, entry.row["lesson"]), set()).add(entry.path_info.student)
        untimed[entry.key, entry.row["lesson"]] += _is_untimed(entry)
    return [
        replace(entry, row=entry.row | {"undecided": True})
        if entry.row["handed_in"] is None
        and (len(names[place]) > 1 or (_is_untimed(entry) and untimed[place] > 1))
        else entry
        for entry in entries
        for place in [(entry.key, entry.row["lesson"])]
    ]


def _is_untimed(entry: Entry) -> bool:
    """Whether nothing says which attempt a file is that may count."""
    known = entry.row["handed_in"] is not None or entry.path_info.attempt is not None
    return _may_count(entry) and entry.of_file and not known and not entry.gone


def _counting(entries: list[Entry], assignment: Assignment | None) -> dict[tuple[str, str | None], str]:
    """{(student, lesson): the file that counts}: the last one that was judged, or the best one.

    The best one counts where the assignment says so, and where nothing says which is the last.
    """
    found: dict[tuple[str, str | None], Entry] = {}
    best = assignment is not None and assignment.attempt == "best"
    for entry in entries:
        place = entry.key, entry.row["lesson"]
        before = found.get(place)
        if before and _may_count(before):
            if before.gone != entry.gone and not best:
                found[place] = entry if before.gone and _may_count(entry) else before
                continue
            by_points = best or (before.row["undecided"] and entry.row["undecided"])
            if not _may_count(entry) or (by_points and entry.row["score"] < before.row["score"]):
                continue
        found[place] = entry
    return {place: entry.row["submission"] for place, entry in found.items()}


def _may_count(entry: Entry) -> bool:
    return entry.row["instead"] is None and entry.asked


def _marked(entry: Entry, counting: dict[tuple[str, str | None], str]) -> Entry:
    counted = counting[entry.key, entry.row["lesson"]]
    return replace(entry, counted=counted if counted != entry.row["submission"] else None)


def exercise_order(number: str) -> list[int]:
    """A sort key for ids of exercises: 4.2 stands before 4.10."""
    return [int(part) if part.isdecimal() else 0 for part in number.split(".")]


def lessons(entries: list[Entry]) -> dict[str, float]:
    """{number: most points} of each lesson of the assignment. All totals are out of their sum.

    Without an assignment, the lessons are those that a student of the class handed in.
    """
    assignment = next((entry.assignment for entry in entries), None)
    if assignment is not None:
        return {number: assignment.possible(number) for number in assignment.lessons}
    found: dict[str, float] = {}
    for entry in entries:
        if entry.counts:
            number = entry.row["lesson"]
            found[number] = max(found.get(number, 0.0), entry.row["max_score"] + entry.worth.exempted)
    return dict(sorted(found.items()))


def total(mine: list[Entry], most: dict[str, float]) -> tuple[float, float]:
    """(points, possible points) of one student's entries. most: see `lessons`. What is exempted is not possible."""
    counting = [entry for entry in mine if entry.counts and entry.row["lesson"] in most]
    points = sum(entry.row["score"] for entry in counting)
    return round(points, 6), round(sum(most.values()) - sum(entry.worth.exempted for entry in counting), 6)


def exempt_in_part(entries: Iterable[Entry]) -> list[Said]:
    """A sentence about each student who is exempt from a part of a lesson: a gradebook knows one maximum for all."""
    return [
        said(
            "{student} is exempt from a part of lesson {lesson}, and has {score} of {points}: the gradebook "
            "counts out of more",
            student=entry.student,
            lesson=entry.row["lesson"],
            score=f"{entry.row['score']:g}",
            points=counted(entry.row["max_score"], "point"),
        )
        for entry in entries
        if entry.counts and entry.worth.exempted and not entry.exempt
    ]


def standing(mine: list[Entry], lesson: str) -> str:
    """How a student stands with a lesson, a key of STANDING. mine: the student's entries.

    "unreadable": no file of the lesson counts, and a file of the student that may be it could not be read.
    """
    counting = next((entry for entry in mine if entry.counts and entry.row["lesson"] == lesson), None)
    if counting:
        return "exempt" if counting.exempt else "counts"
    unread = [e for e in mine if e.row["lesson"] is None and e.path_info.lesson in (None, lesson)]
    return "unreadable" if unread else "missing"


def absent(entries: list[Entry]) -> list[Person]:
    """The people of the roster of whom there is no file and no word of a person."""
    assignment = next((entry.assignment for entry in entries), None)
    there = {entry.key for entry in entries}
    return [person for person in (assignment.roster if assignment else ()) if person.key not in there]


def of_another_class(entries: list[Entry]) -> Said:
    """The sentence about a file of a platform in which no student of the results is."""
    some = _some([mine[0].student for mine in by_student(entries).values()])
    return said("none of these is in it, so that it may be of another class: {students}", students=some)


def about_the_class(entries: list[Entry]) -> list[Said | str]:
    """Sentences about who and what is missing, and whom the roster does not know."""
    assignment, found = next((entry.assignment for entry in entries), None), []
    if missing := absent(entries):
        names = _some([assignment.roster.called(person) for person in missing])  # type: ignore[union-attr]
        count = len(missing)
        found.append(said("nothing handed in by {count} of the roster: {names}", count=count, names=names))
    by_key, most = by_student(entries), lessons(entries)
    unread = [mine[0].student for mine in by_key.values() if any(standing(mine, n) == "unreadable" for n in most)]
    if unread:
        found.append(said("handed in, but not readable, so no points yet: {names}", names=_some(unread)))
    untimed = [e for e in entries if e.counts and e.of_file and e.row["handed_in"] is None]
    if assignment and assignment.late and (untimed := [e for e in untimed if e.row["lesson"] in assignment.due]):
        found.append(
            said(
                "lateness takes nothing off {count} of {of}, whose time is not known: only nbgrader and Gradescope "
                "hand one out with its zone. Give points by hand, or let the platform take them off",
                count=len(untimed),
                of=counted(sum(e.counts and e.of_file for e in entries), "file"),
            )
        )
    if assignment and assignment.roster:
        unlisted = list(dict.fromkeys(entry.student for entry in entries if entry.person is None))
        found += [said("not in the roster, or not clearly: {names}", names=_some(unlisted))] if unlisted else []
    strangers = [mine[0] for mine in by_key.values() if mine[0].person is None]
    of_key = {key: {entry.row["lesson"] or "" for entry in mine} - {""} for key, mine in by_key.items()}
    named = ((e.key, (e.key, *(e.path_info.canvas or ())), e.path_info.platform) for e in strangers)
    for group in perhaps_one(named, of_key):
        names = _some([by_key[key][0].student for key in group])
        found.append(said("perhaps one student, who counts as several, as no roster says: {names}", names=names))
    for number in most if assignment is None and len(by_key) > 1 else ():
        count = sum(any(e.counts and e.row["lesson"] == number for e in mine) for mine in by_key.values())
        if count <= len(by_key) / 10:
            values = {"number": number, "count": count, "of": len(by_key)}
            found.append(
                said("lesson {number} was handed in by {count} of {of}, and counts in the totals of all: leave it out "
                    "with --lessons, or with an assignment", **values)
            )  # fmt: skip
    return found


def _some(names: list[str]) -> Said | str:
    shown = listed(names[:_SHOWN])
    return said("{list} and {value} more", list=shown, value=len(names) - _SHOWN) if len(names) > _SHOWN else shown


def without_file(entry: Entry) -> Said:
    """The sentence about points that a person gave to somebody who handed in no file: a platform has nothing of it."""
    return said("no file was handed in, so there is nowhere to put feedback: {student}", student=entry.student)


def for_a_person(entry: Entry) -> list[str]:
    """The reasons why a person has to look at a file: no lesson was found in it, or it was not judged in full."""
    found = list(entry.row["problems"]) if _unread(entry) else []
    if entry.row["instead"] is not None and entry.counted is None:
        later = entry.row["instead"]
        found.append(
            said(
                "not graded, and {later}, which is later, has no points: grade again with --every-attempt", later=later
            )
        )
    return found + [joined("{one}: {two}", [e["id"], e["message"]]) for e in entry.troubled]


def _unread(entry: Entry) -> bool:
    given_up = any(kind_of(problem) in (NOT_GRADED, GIVEN_UP) for problem in entry.row["problems"])
    return entry.row["lesson"] is None or given_up


def _superseded(entry: Entry) -> str:
    """Why another file of the student counts for the lesson."""
    if entry.row["instead"] is not None:
        if entry.row["exercises"]:
            return said("not counted: {counted} counts for the lesson", counted=entry.counted)
        return said("not graded: {counted} counts for the lesson", counted=entry.counted)
    if entry.assignment is not None and entry.assignment.attempt == "best":
        return said("not counted: {counted} has the best points for the same lesson", counted=entry.counted)
    if entry.gone:
        return said("not counted: {counted} counts, and the last run no longer found this file", counted=entry.counted)
    if entry.row["undecided"]:
        return said("not counted: {counted} has more points, and nothing says which is later", counted=entry.counted)
    return said("not counted: {counted} is a later file for the same lesson", counted=entry.counted)


def late_or_superseded(entry: Entry) -> list[str]:
    """Sentences about the time of a file: it is late, or another file counts."""
    costs = entry.assignment is not None and entry.assignment.late is not None
    found: list[str] = list(terms.about_time(entry.worth, entry.path_info.late, costs))
    if entry.counted and entry.row["lesson"]:
        found.append(_superseded(entry))
    return found


def other_remarks(entry: Entry) -> list[str]:
    """The other sentences about a file."""
    found = [] if _unread(entry) else list(entry.row["problems"])
    if not entry.asked and entry.row["lesson"] and not any(kind_of(problem) == NOT_ASKED for problem in found):
        found.append(said("not counted: lesson {lesson} is no part of the assignment", lesson=entry.row["lesson"]))
    if (
        entry.counts
        and entry.of_file
        and entry.row["exercises"]
        and all(e["status"] == "not_attempted" for e in entry.row["exercises"])
    ):
        found.append(said("nothing in it was attempted"))
    return found


def remarks(entry: Entry) -> list[str]:
    """All sentences about one file. What a person says of an exercise stands with the exercise."""
    of_lesson = [sentence for word, sentence in zip(entry.worth.overrides, entry.by_hand) if word.of_lesson]
    return [*for_a_person(entry), *late_or_superseded(entry), *of_lesson, *other_remarks(entry)]


def to_look_at(entry: Entry) -> list[str]:
    """The remarks for the instructor: all but those about names defined twice, which are for the student, those about
    an earlier attempt, of which there is nothing to decide, and the instructor's own words.
    """
    own = set(map(str, entry.by_hand))
    if entry.counted and (entry.gone or not entry.row["undecided"]):
        own |= set(map(str, late_or_superseded(entry)))
    return [sentence for sentence in remarks(entry) if not _for_student(sentence) and str(sentence) not in own]


def _for_student(sentence: str) -> bool:
    return kind_of(sentence) == DEFINED_TWICE


def isolation(entries: list[Entry]) -> str:
    """The levels of isolation at which answers ran."""
    return in_words(e.row["isolation"] for e in entries if e.row["instead"] is None and e.of_file)


def by_student(entries: list[Entry]) -> dict[str, list[Entry]]:
    """The entries of each student, by key."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        found.setdefault(entry.key, []).append(entry)
    return found


def file_name(key: str) -> str:
    """A file name for a student: readable, valid on every file system, and different for each student."""
    readable = re.sub(r"[^a-z0-9]+", "-", key.lower())[:40].strip("-") or "student"
    return f"{readable}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def is_file_name(name: str) -> bool:
    """Whether `file_name` may have given it to a student."""
    return re.fullmatch(r"[a-z0-9-]{1,40}-[0-9a-f]{12}", name) is not None


def write(path: pathlib.Path, data: str | bytes) -> None:
    """Write a file completely or not at all, in a folder that is made if need be. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_files.write(path, data)
