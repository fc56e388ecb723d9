"""The plan of a run: which students there are, which file of whom counts and why, what is left out, who is missing.

Grading carries out a plan, and makes no choice of its own. A plan is made from names and contents; no answer is run.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .. import atomic_files
from ..sentence import joined, kind_of, listed, said
from . import file_names, rows
from .archives import DAMAGED
from .attempts import Candidate, Choice, choose
from .contents import Contents
from .roster import Person, Roster, perhaps_one, spelled_alike
from .submissions import Found, SubmittedFile

FILE = "plan.json"
_SHOWN = 5  # students or files in one sentence
_MOST_JUDGED = 10  # notebooks of one student for one lesson that are judged without asking


@dataclass(frozen=True)
class Standing:
    """How a file stands among those of its student for its lesson.

    instead: the file that counts in place of this one, None if this one counts or may count. undecided: whether the
    best of several files counts, because nothing says which is the last. judged: whether its answers are run. why: a
    sentence, where it does not count for another reason than an attempt.
    """

    lesson: str | None = None
    instead: str | None = None
    undecided: bool = False
    judged: bool = True
    why: str = ""


@dataclass
class Student:
    """A student of a plan. unread: files that answer no lesson, with the reason."""

    key: str
    names: tuple[str, ...]
    choices: dict[str, Choice] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


@dataclass
class Plan:
    """What a run grades.

    layouts: a sentence for each layout that was found. files: those that get a row, with their standing by name.
    left_out: files without a row, with the reason. missing: expected students without a file. unlisted: students whom
    the roster does not list, or not clearly. doubts: sentences about what looks wrong, so that a person has to say that
    it is right. perhaps_one: keys of students who may be one person. for_a_person: sentences about choices and files
    that a person has to look at. damaged: files that a damaged zip file, which was handed out, does not give.
    """

    layouts: list[str]
    students: dict[str, Student]
    files: list[SubmittedFile]
    standings: dict[str, Standing]
    left_out: dict[str, str] = field(default_factory=dict)
    missing: list[Person] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    perhaps_one: list[list[str]] = field(default_factory=list)
    for_a_person: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


def make(
    found: Found,
    contents: Callable[[Sequence[SubmittedFile]], Iterable[Contents]],
    roster: Roster,
    before: Iterable[str] = (),
    every_attempt: bool = False,
    best: bool = False,
    asked: Collection[str] | None = None,
) -> Plan:
    """The plan for the files of a class.

    contents: what each of several files holds, in their order. roster: the students who are expected; files under two
    names of one of them are of one student. before: the students of the last plan for the same results. every_attempt:
    whether files that do not count are judged as well. best: whether the best of a student's attempts counts, and not
    the last. asked: the lessons that are judged, None for all.
    """
    candidates = [Candidate(file, of_file) for file, of_file in zip(found.files, contents(found.files))]
    plan = Plan(
        list(found.layouts), {}, [], {}, {name: why for name, why in found.aside.items() if why}, doubts=[*found.doubts]
    )
    mine = _by_student(candidates, roster)
    several = len(mine) > 1
    worked = {
        each.contents.lesson for each in candidates
        if not _is_of_course(each) and not (several and each.blank) and (asked is None or each.contents.lesson in asked)
    }  # fmt: skip
    if found.zipped:
        plan.damaged = [each.file.name for each in candidates if DAMAGED in map(kind_of, each.contents.problems)]
    for key, theirs in mine.items():
        kept = _own_work(theirs, worked, several)
        for each in theirs:
            if each not in kept:
                plan.left_out[each.file.name] = _why_left_out(each)
        if kept:
            _add(plan, key, kept, every_attempt, best)
    _look(plan, roster, before)
    return plan


def _by_student(candidates: list[Candidate], roster: Roster) -> dict[str, list[Candidate]]:
    """The files of each student, by the name that the first file gives. A roster knows a student by several names."""
    found: dict[str, list[Candidate]] = {}
    of_person: dict[str, str] = {}
    for each in candidates:
        key = each.file.student
        people = _people((key, *each.owner.names), roster)
        found.setdefault(of_person.setdefault(people[0].key, key) if len(people) == 1 else key, []).append(each)
    return found


def _own_work(theirs: list[Candidate], worked: set[str | None], several: bool) -> list[Candidate]:
    """The files of a student without those of the course, but all of them where nothing else is left.

    The course's files are its solutions, and blank notebooks of lessons for which this student has another file with
    answers, or one that cannot be read, or for which nobody in a class has an answer. Jupyter's copies are left out
    where the student has answers besides.
    """
    own = [each for each in theirs if not _is_of_course(each)]
    made = {each.contents.lesson for each in own if not each.blank and not each.is_checkpoint}
    own = [
        each for each in own
        if not each.is_checkpoint or (each.contents.lesson not in made and not (each.blank and len(own) > 1))
    ] or own  # fmt: skip
    mine = {each.contents.lesson for each in own if not each.blank}
    unread = [each.file.name for each in own if each.contents.lesson is None]
    mine |= {file_names.of_student(name, own[0].file.student).lesson for name in unread}
    packed = any(file_names.may_hold_notebooks(name) and not file_names.is_ipynb(name) for name in unread)
    wanted = {None, *(set() if packed else worked - mine)}
    work = [each for each in own if not each.blank or each.contents.lesson in wanted]
    nobody = several and all(each.blank and not each.owner.named and each.contents.lesson for each in theirs)
    return [] if nobody else work or own or theirs


def _is_of_course(each: Candidate) -> bool:
    """Whether a file is one of the course's solutions, where these lie."""
    return each.contents.solution and "solutions/" in f"/{each.file.name}"


def _why_left_out(each: Candidate) -> str:
    if each.is_checkpoint:
        return said("it is a copy of Jupyter's")
    return said("it is the course's solution") if _is_of_course(each) else said("it is a blank notebook of the course")


def _add(plan: Plan, key: str, kept: list[Candidate], every_attempt: bool, best: bool) -> None:
    """Add a student with files to a plan."""
    names = dict.fromkeys(name for each in kept for name in (each.file.student, *each.owner.names))
    student = Student(key, tuple(name for name in names if name != key))
    plan.students[key] = student
    of_lesson: dict[str, list[Candidate]] = {}
    for each in kept:
        plan.files.append(each.file)
        if each.contents.lesson is None:
            plan.standings[each.file.name] = Standing()
            student.unread[each.file.name] = joined("{one}; {two}", list(each.contents.problems)) or said("no lesson")
        elif _is_of_course(each):
            why = said("it is the course's solution")
            plan.standings[each.file.name] = Standing(each.contents.lesson, judged=False, why=why)
            student.unread[each.file.name] = why
        else:
            of_lesson.setdefault(each.contents.lesson, []).append(each)
    for lesson, candidates in sorted(of_lesson.items()):
        choice = student.choices[lesson] = choose(lesson, candidates, best)
        counting = choice.counts[0].file.name
        for each in choice.counts:
            plan.standings[each.file.name] = Standing(lesson, undecided=choice.undecided)
        for each, why in choice.instead:
            is_attempt = each.owner.attempt is not None and not each.blank
            plan.standings[each.file.name] = Standing(
                lesson, counting, judged=every_attempt, why="" if is_attempt else why
            )


def _look(plan: Plan, roster: Roster, before: Iterable[str]) -> None:
    """Find what looks wrong, what a person has to look at, and who is missing."""
    for student in plan.students.values():
        plan.for_a_person += [joined("{one}: {two}", [student.key, name, why]) for name, why in student.unread.items()]
        for choice in student.choices.values():
            plan.for_a_person += [joined("{one}: {two}", [student.key, each]) for each in _mended(choice)]
            many = len(choice.counts) > _MOST_JUDGED
            if (choice.best and not many) or not choice.undecided:
                continue
            plan.for_a_person.append(
                said("{student}: lesson {lesson}: {why}", student=student.key, lesson=choice.lesson, why=choice.why)
            )
            if many or (not choice.alike and not all(each.owner.sure for each in choice.counts)):
                plan.doubts.append(
                    said(
                        "“{student}” has several different notebooks of lesson {lesson}, and nothing says which "
                        "counts: {files}. Are they of one student?",
                        student=student.key,
                        lesson=choice.lesson,
                        files=_some([each.file.name for each in choice.counts]),
                    )
                )
    if plan.damaged:
        plan.doubts.append(
            said(
                "the zip file is damaged, and these cannot be read out of it: {files}. Download it again",
                files=_some(plan.damaged),
            )
        )
    unnamed = [key for key, student in plan.students.items() if _is_unnamed(student)]
    if unnamed and len(plan.students) > 1:
        plan.doubts.append(
            said(
                "these bear no student's name: {names}. Whose are they? Put each into a folder with the name of its "
                "student",
                names=_some(unnamed),
            )
        )
    of_roster = {key: _people((key, *student.names), roster) for key, student in plan.students.items()}
    unclear = [plan.students[key] for key, people in of_roster.items() if len(people) != 1]
    alike = spelled_alike(each.key for each in unclear)
    for names in alike:
        plan.doubts.append(said("these look like one student under several names: {names}", names=_some(names)))
    of_two = perhaps_one((each.key, (each.key, *each.names), _platform(each)) for each in unclear)
    plan.perhaps_one = [group for group in of_two if not any({*group} <= {*names} for names in alike)]
    plan.for_a_person += [
        said("these may be one student under several names: {names}", names=_some(group)) for group in plan.perhaps_one
    ]
    there = {person.key for people in of_roster.values() for person in people}
    plan.missing = [person for person in roster if person.key not in there]
    plan.unlisted = [key for key, people in of_roster.items() if roster and len(people) != 1]
    known = {name for key, student in plan.students.items() for name in (key, *student.names)}
    gone = [key for key in before if key not in known]
    if gone:
        plan.doubts.append(
            said(
                "the last run into these results had {count} more: {students}",
                count=len(gone),
                students=_some(gone),
            )
        )


def _people(names: Iterable[str], roster: Roster) -> list[Person]:
    """The people of a roster whom a student of these names may be."""
    return next((found for name in names if (found := roster.find(name))), [])


def _platform(student: Student) -> str | None:
    """The platform that gave a student's name, None where a person did."""
    names = [each.file.name for choice in student.choices.values() for each in choice.counts]
    return next((file_names.of_student(name, student.key).platform for name in (*names, *student.unread)), None)


def _is_unnamed(student: Student) -> bool:
    """Whether a student's only name is that of a notebook of the course, and somebody worked on this notebook."""
    candidates = [each for choice in student.choices.values() for each in choice.counts]
    return any(not each.blank for each in candidates) and not any(each.owner.named for each in candidates)


def _some(names: Sequence[str]) -> str:
    """The first few of several names."""
    shown = listed(list(names[:_SHOWN]))
    return said("{list} and {value} more", list=shown, value=len(names) - _SHOWN) if len(names) > _SHOWN else shown


def lines(plan: Plan) -> Iterator[tuple[int, str]]:
    """The plan as (depth, sentence), one a line: what is deeper belongs to the line above it."""
    lessons = sorted({lesson for student in plan.students.values() for lesson in student.choices})
    yield (
        0,
        said(
            "Plan. Students: {count}. Files: {files}. Lessons: {lessons}. Layout: {layouts}.",
            count=len(plan.students),
            files=len(plan.files),
            lessons=listed(lessons) if lessons else said("none"),
            layouts=joined("{one}; {two}", plan.layouts),
        ),
    )
    for student in plan.students.values():
        yield from _of_student(student)
    if plan.left_out:
        yield 0, said("Left out, as no student's work:")
        reasons: dict[str, list[str]] = {}
        for name, why in plan.left_out.items():
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            yield 1, joined("{one}: {two}", [why, _some(names)])
    yield from _of_class(plan)


def _of_class(plan: Plan) -> Iterator[tuple[int, str]]:
    """The lines about who is missing or not clearly known, and about what looks wrong."""
    if plan.missing:
        yield 0, said("Nothing from students who are expected: {count}", count=len(plan.missing))
        for each in plan.missing:
            yield 1, each.name or each.key
    if plan.unlisted:
        yield 0, said("Not in the roster, or not clearly: {count}", count=len(plan.unlisted))
        for key in plan.unlisted:
            yield 1, key
    if plan.perhaps_one:
        yield 0, said("Perhaps one student under several names, who counts as several. A roster says who is who:")
        for group in plan.perhaps_one:
            yield 1, _some(group)
    if plan.doubts:
        yield 0, said("This looks wrong:")
        for sentence in plan.doubts:
            yield 1, sentence


def _of_student(student: Student) -> Iterator[tuple[int, str]]:
    """The lines of one student: what counts, and below it the choices and what is not read."""
    chosen = [
        said("lesson {lesson} from {files}", lesson=lesson, files=listed([each.file.name for each in choice.counts]))
        for lesson, choice in student.choices.items()
    ]
    counts = joined("{one}; {two}", chosen) if chosen else said("nothing that can be graded")
    yield 1, joined("{one}: {two}", [student.key, counts])
    for choice in student.choices.values():
        yield from ((2, each) for each in _mended(choice))
        if choice.why:
            yield 2, said("lesson {lesson}: {why}", lesson=choice.lesson, why=choice.why)
        for each, why in choice.instead:
            yield 2, said("not {file}: {why}", file=each.file.name, why=why)
    for name, why in student.unread.items():
        yield 2, said("not read: {file}: {why}", file=name, why=why)


def _mended(choice: Choice) -> list[str]:
    """What is odd about the files that count, or may count."""
    return [joined("{one}: {two}", [each.file.name, why]) for each in choice.counts for why in _odd(each)]


def _odd(each: Candidate) -> Iterator[str]:
    yield from each.contents.problems
    if each.owner.draft:
        yield said("it was not handed in")
    if each.contents.solution:
        yield said("it holds the marks that stand around the answers in the course's solutions")


def store(plan: Plan, folder: pathlib.Path) -> None:
    """Write a plan as plan.json into a folder of results. Raises OSError."""
    data = {
        "layouts": plan.layouts,
        "students": [
            {
                "student": student.key,
                "names": list(student.names),
                "lessons": {
                    lesson: {
                        "counts": [each.file.name for each in choice.counts],
                        "undecided": choice.undecided,
                        "why": choice.why,
                        "instead": {each.file.name: why for each, why in choice.instead},
                    }
                    for lesson, choice in student.choices.items()
                },
                "unread": student.unread,
            }
            for student in plan.students.values()
        ],
        "left_out": plan.left_out,
        "missing": [{"student": each.key, "name": each.name, "section": each.section} for each in plan.missing],
        "doubts": plan.doubts,
        "for_a_person": plan.for_a_person,
    }
    atomic_files.write(folder / FILE, rows.line(data), sync=True)


def stored(folder: pathlib.Path) -> dict:
    """The plan that `store` wrote, with its sentences as sentences; empty where there is none that can be read."""
    try:
        return rows.with_sentences(json.loads((folder / FILE).read_bytes()))
    except (OSError, ValueError, RecursionError, rows.Damaged):
        return {}


def join(parts: Iterable[pathlib.Path], folder: pathlib.Path) -> None:
    """Write the plans in the folders of several parts as one plan.json. Raises OSError."""
    whole: dict = {}
    for data in filter(None, map(stored, dict.fromkeys([folder, *parts]))):
        for name, value in data.items():
            if isinstance(value, dict):
                whole[name] = whole.get(name, {}) | value
            elif isinstance(value, list):
                whole[name] = [*(old for old in whole.get(name, []) if _of(old) not in map(_of, value)), *value]
    if whole:
        atomic_files.write(folder / FILE, rows.line(whole), sync=True)


def _of(entry):
    """What an entry of a stored plan is about: a student, or a sentence."""
    return entry.get("student") if isinstance(entry, dict) else entry


def students_of(folder: pathlib.Path) -> list[str]:
    """The students of the plan in a folder of results."""
    listed_there = stored(folder).get("students")
    found = (
        [each.get("student") for each in listed_there if isinstance(each, dict)]
        if isinstance(listed_there, list)
        else []
    )
    return [key for key in found if isinstance(key, str)]
