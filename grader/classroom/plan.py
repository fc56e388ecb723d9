"""The plan of a run: which students there are, which file of whom counts and why, what is left out, who is missing.

Grading carries out a plan, and makes no choice of its own. A plan is made from names and contents; no answer is run.
"""

from __future__ import annotations

import json
import pathlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .. import atomic_files
from ..sentence import Said, counted, joined, kind_of, listed, said
from . import file_names, rows
from .archives import DAMAGED
from .attempts import Candidate, Choice, choose
from .contents import Contents
from .layouts import may_be_a_person
from .roster import Person, Roster, perhaps_one, spelled_alike
from .submissions import Found, SubmittedFile

FILE = "plan.json"
_IN_A_LINE = 5  # files
_TELLING_APART = {"Canvas", "Moodle", "Blackboard", "Brightspace", "Gradescope"}  # by numbers, logins or addresses
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
    """A student of a plan. by: see Owner. unread: files that answer no lesson, with the reason."""

    key: str
    names: tuple[str, ...]
    by: str | None = None
    choices: dict[str, Choice] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)


@dataclass
class Plan:
    """What a run grades.

    layouts: a sentence for each layout that was found. files: those that get a row, with their standing by name.
    left_out: files without a row, with the reason. missing: expected students without a file. unlisted: students whom
    the roster does not list, or not clearly. doubts: sentences about what looks wrong, so that a person has to say that
    it is right. perhaps_one: keys of students who may be one person. for_a_person: sentences about choices and files
    that a person has to look at. perhaps: of those who are not clearly in the roster, who may be meant. damaged: files
    that a damaged zip file, which was handed out, does not give. expected: the roster.
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
    perhaps: dict[str, list[Person]] = field(default_factory=dict)
    expected: Roster = field(default_factory=Roster)


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
        list(found.layouts),
        {},
        [],
        {},
        {name: why for name, why in found.aside.items() if why},
        doubts=[*found.doubts],
        expected=roster,
    )
    mine = _by_student(candidates, roster)
    plan.doubts += _several_of_one(mine.values())
    several = len(mine) > 1
    worked = {
        each.contents.lesson for each in candidates
        if not _is_of_course(each) and not (several and each.blank) and (asked is None or each.contents.lesson in asked)
    }  # fmt: skip
    plan.damaged = [each.file.name for each in candidates if _is_of_download(each, found.zipped, candidates)]
    for key, theirs in mine.items():
        kept = _own_work(theirs, worked, several)
        for each in theirs:
            if each not in kept:
                plan.left_out[each.file.name] = _why_left_out(each)
        if kept:
            _add(plan, key, kept, every_attempt, best, asked)
    _look(plan, before, asked)
    return plan


def _is_of_download(each: Candidate, zipped: Collection[str], others: Sequence[Candidate]) -> bool:
    """Whether a file that a damaged zip file does not give is a part of what was downloaded, and not one student's zip.

    Of a zip in a folder nobody says which of both it is: it may be a whole class where nobody else has a notebook, or
    where it is not called like a student. One with files of several students is a class.
    """
    if DAMAGED not in map(kind_of, each.contents.problems):
        return False
    archive = _archive(each.file.name)
    if archive and any(_archive(o.file.name) == archive and o.file.student != each.file.student for o in others):
        return True
    alone = each.owner.by is None and all(other.contents.lesson is None for other in others)
    return alone or each.file.name in zipped or (each.owner.loose and not may_be_a_person(each.file.student))


def _archive(name: str) -> str:
    """The path of the zip file that a file lies in, "" where it lies in none."""
    above, _, _ = name.rpartition("/")
    end = above.lower().rfind(".zip")
    return above[: end + len(".zip")] if end >= 0 else ""


def _by_student(candidates: list[Candidate], roster: Roster) -> dict[str, list[Candidate]]:
    """The files of each student, by the name that the first file gives. A roster knows a student by several names."""
    found: dict[str, list[Candidate]] = {}
    of_person: dict[str, str] = {}
    for each in candidates:
        key = each.file.student
        people = roster.find_any((key, *each.owner.names), _of_canvas(key, each.owner.by))
        found.setdefault(of_person.setdefault(people[0].key, key) if len(people) == 1 else key, []).append(each)
    return found


def _of_canvas(key: str, by: str | None) -> tuple[str, str] | None:
    """Canvas' own (name, user id) of a student whom it names; None for others, and where grading is anonymous."""
    name, _, user = key.rpartition("_")
    return (name, user) if by == "Canvas" and user.isdecimal() else None


def _several_of_one(mine: Iterable[Sequence[Candidate]]) -> Iterator[Said]:
    """Sentences about students whom a platform tells apart, and the roster does not: it has one person of this name.

    mine: the files of each student. Moodle's numbers are others in each assignment, so there they tell of files for one
    lesson.
    """
    for theirs in mine:
        found: dict[tuple[str | None, str | None], dict[str, None]] = defaultdict(dict)
        for each in theirs:
            by = each.owner.by
            found[by, each.contents.lesson if by == "Moodle" else None][each.file.student] = None
        for (by, _), keys in found.items():
            if by in _TELLING_APART and len(keys) > 1:
                yield said(
                    "{platform} knows several students, {students}, and the roster has one of this name. Add the "
                    "others to the roster, with their numbers; if they are one person, add --yes",
                    platform=by,
                    students=listed([*keys]),
                )


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
    nobody = several and all(
        not each.owner.named and each.contents.lesson and (each.blank or _is_of_course(each)) for each in theirs
    )
    return [] if nobody else work or own or theirs


def _is_of_course(each: Candidate) -> bool:
    """Whether a file is one of the course's solutions, where these lie."""
    return each.contents.solution and file_names.is_in_solutions(each.file.name)


def _why_left_out(each: Candidate) -> str:
    if each.is_checkpoint:
        return said("it is a copy of Jupyter's")
    return said("it is the course's solution") if _is_of_course(each) else said("it is a blank notebook of the course")


def _add(
    plan: Plan, key: str, kept: list[Candidate], every_attempt: bool, best: bool, asked: Collection[str] | None
) -> None:
    """Add a student with files to a plan."""
    names = dict.fromkeys(name for each in kept for name in (each.file.student, *each.owner.names))
    by = next((each.owner.by for each in kept if each.owner.by), None)
    student = Student(key, tuple(name for name in names if name != key), by)
    plan.students[key] = student
    of_lesson: dict[str, list[Candidate]] = {}
    for each in kept:
        plan.files.append(each.file)
        plan.left_out |= dict.fromkeys(each.file.beside, said("Beside notebooks, and not graded"))
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
        choice = choose(lesson, candidates, best)
        if asked is not None and lesson not in asked:
            choice = replace(choice, why=said("it is no part of the assignment, and is not judged"))
        student.choices[lesson] = choice
        counting = choice.counts[0].file.name
        for each in choice.counts:
            plan.standings[each.file.name] = Standing(lesson, undecided=choice.undecided)
        for each, why in choice.instead:
            is_attempt = each.owner.attempt is not None and not each.blank
            plan.standings[each.file.name] = Standing(
                lesson, counting, judged=every_attempt, why="" if is_attempt else why
            )


def _look(plan: Plan, before: Iterable[str], asked: Collection[str] | None) -> None:
    """Find what looks wrong, what a person has to look at, and who is missing."""
    roster = plan.expected
    of_roster = {
        key: roster.find_any((key, *each.names), _of_canvas(key, each.by)) for key, each in plan.students.items()
    }
    for student in plan.students.values():
        plan.for_a_person += [joined("{one}: {two}", [student.key, name, why]) for name, why in student.unread.items()]
        for choice in student.choices.values():
            plan.for_a_person += [joined("{one}: {two}", [student.key, each]) for each in _mended(choice)]
            many = len(choice.counts) > _MOST_JUDGED
            namesakes = choice.namesakes and len(of_roster[student.key]) != 1
            if namesakes and of_roster[student.key]:
                files = [each.file.name for each in (*choice.counts, *(one for one, _ in choice.instead))]
                plan.doubts.append(
                    said(
                        "“{student}” has several files of lesson {lesson} with the same answers, and the roster has "
                        "{count} of this name: {files}. Give each student a folder",
                        student=student.key,
                        lesson=choice.lesson,
                        count=len(of_roster[student.key]),
                        files=listed(files),
                    )
                )
            if not namesakes and ((choice.best and not many) or not choice.undecided):
                continue
            plan.for_a_person.append(
                said("{student}: lesson {lesson}: {why}", student=student.key, lesson=choice.lesson, why=choice.why)
            )
            # A repository is one student's, unless all of it may be a class that lies in a copy of the course.
            all_in_one = len(plan.students) == 1 and all(each.owner.by == "git" for each in choice.counts)
            folders = {each.file.name.rpartition("/")[0] for each in choice.counts}
            sure = all(each.owner.by for each in choice.counts) and not all_in_one
            alike = choice.alike and not (all_in_one and len(folders) > 1)
            if many or (choice.undecided and not alike and not sure):
                plan.doubts.append(
                    said(
                        "“{student}” has several different notebooks of lesson {lesson}, and nothing says which "
                        "counts: {files}. Are they of one student? If so, add --yes, and the best counts; else give "
                        "each student a folder",
                        student=student.key,
                        lesson=choice.lesson,
                        files=listed([each.file.name for each in choice.counts]),
                    )
                )
    if parts := [name for name in plan.damaged if not file_names.is_archive(name)]:
        plan.doubts.append(
            said(
                "the zip file is damaged, and these cannot be read out of it: {files}. Download it again",
                files=listed(parts),
            )
        )
    if archives := [name for name in plan.damaged if file_names.is_archive(name)]:
        plan.doubts.append(
            said(
                "damaged, and perhaps a whole class: {files}. Download it again; if it is one student's, add --yes",
                files=listed(archives),
            )
        )
    unnamed = [key for key, student in plan.students.items() if _is_unnamed(student)]
    if unnamed and len(plan.students) > 1:
        plan.doubts.append(
            said(
                "these bear no student's name: {names}. Whose are they? Put each into a folder with the name of its "
                "student",
                names=listed(unnamed),
            )
        )
    plan.doubts += _under_several_names(plan)
    plan.doubts += _several_places(plan.students.values(), of_roster)
    unclear = [plan.students[key] for key, people in of_roster.items() if len(people) != 1]
    alike = spelled_alike(each.key for each in unclear if each.key not in unnamed)
    for names in alike:
        plan.doubts.append(
            said(
                "these look like one student under several names: {names}. If they are one, put their files into one "
                "folder; if they are several, add --yes. A roster in an assignment says who is who, too",
                names=listed(names),
            )
        )
    of_two = perhaps_one(
        ((each.key, (each.key, *each.names), each.by) for each in unclear),
        {each.key: {*each.choices} for each in unclear},
    )
    plan.perhaps_one = [group for group in of_two if not any({*group} <= {*names} for names in alike)]
    plan.for_a_person += [
        said("these may be one student under several names: {names}", names=listed(group)) for group in plan.perhaps_one
    ]
    there = {person.key for people in of_roster.values() for person in people}
    plan.missing = [person for person in roster if person.key not in there]
    plan.unlisted = [key for key, people in of_roster.items() if roster and len(people) != 1]
    plan.perhaps = {key: of_roster[key] for key in plan.unlisted if of_roster[key]}
    if len(plan.unlisted) == len(plan.students) > 1 and not plan.perhaps:
        plan.doubts.append(
            said(
                "the roster has none of these students: {students}{more}. Is it the roster of this class? If so, add "
                "--yes, and each counts under the name in the plan",
                students=listed([*plan.students][:_IN_A_LINE]),
                more=", …" * (len(plan.students) > _IN_A_LINE),
            )
        )
        plan.doubts += _who_is_who(plan)
    plan.doubts += [] if plan.doubts else _nothing_to_judge(plan, asked)
    known = {name for key, student in plan.students.items() for name in (key, *student.names)}
    gone = [key for key in before if key not in known]
    if gone:
        plan.doubts.append(
            said(
                "the last run into these results had {count} more: {students}. Is a part of the class missing? If not, "
                "add --yes, or name another folder with --out",
                count=len(gone),
                students=listed(gone),
            )
        )


def _under_several_names(plan: Plan) -> Iterator[Said]:
    """Sentences about files of a student that may be of several: different ones are named as such."""
    for student in plan.students.values():
        for choice in student.choices.values():
            if not choice.undecided and (persons := _persons(choice)):
                yield said(
                    "“{student}” has files of lesson {lesson} with the same answers under several names: {names}. "
                    "Are these several students? If so, give each student a folder; if they are one, add --yes",
                    student=student.key,
                    lesson=choice.lesson,
                    names=listed(persons),
                )


def _persons(choice: Choice) -> list[str]:
    """What files beside each other in one folder are called, if that may be the names of several persons; else empty.

    A folder of a section or of a pair is no student's, and the answers in it may be the same.
    """
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for each in (*choice.counts, *(one for one, _ in choice.instead)):
        folder, _, last = each.file.name.rpartition("/")
        stem = file_names.without_marks_of_a_version(file_names.without_ending(last))
        person = file_names.person(stem) or file_names.person_of_piece(stem) or stem
        by_hand = each.owner.by is None and not each.owner.loose and not (each.blank or each.is_checkpoint)
        if by_hand and may_be_a_person(person) and not file_names.names_nobody(person):
            found[folder][person] = None
    return next(([*persons] for persons in found.values() if len(persons) > 1), [])


def _who_is_who(plan: Plan) -> Iterator[Said]:
    """What makes students known whom the roster does not list, by the platforms that named them."""
    platforms = {plan.students[key].by for key in plan.unlisted}
    if "git" in platforms and not any(person.id("github") for person in plan.expected):
        yield said(
            "repositories are named after accounts of GitHub, and the roster has none: add a column github_username to "
            "it, or name GitHub Classroom's own roster, classroom_roster.csv, beside it in the assignment"
        )
    if "Moodle" in platforms and not any(person.id("participant") for person in plan.expected):
        yield said(
            "Moodle's names end in its own numbers, and the roster has none: name the grading worksheet of this "
            "assignment, whose column Identifier has them, beside it in the assignment"
        )


def _nothing_to_judge(plan: Plan, asked: Collection[str] | None) -> Iterator[Said]:
    """A sentence where no student of a class has a notebook, or none of what is asked, or a class may be in an archive
    that is not opened.
    """
    students = [student for student in plan.students.values() if student.by != "--one-student"]
    packed = [name for each in students if each.by is None for name in each.unread if file_names.is_archive(name)]
    found = sorted({lesson for student in students for lesson in student.choices})
    if not found and (len(students) > 1 or packed):
        yield said(
            "nothing here can be graded: no file of {count} is a notebook that can be read. If this is not what was "
            "handed in, name another path; unpack an archive of another kind than zip. If it is, add --yes, and each "
            "file gets its row",
            count=counted(len(students), "student"),
        )
    if len(students) > 1 and found and asked is not None and not {*asked} & {*found}:
        yield said(
            "nobody has a file for lesson {asked}, which the assignment asks for; there are files for lesson "
            "{others}. Is it the right assignment, and the right path? If so, add --yes",
            asked=listed(sorted(asked)),
            others=listed(found),
        )


def _is_unnamed(student: Student) -> bool:
    """Whether a student's only name is that of a notebook of the course, and somebody worked on this notebook."""
    candidates = [each for choice in student.choices.values() for each in choice.counts]
    return any(not each.blank for each in candidates) and not any(each.owner.named for each in candidates)


def _several_places(students: Iterable[Student], of_roster: Mapping[str, list[Person]]) -> Iterator[Said]:
    """Sentences about names that several students may have, as in two classes: no roster says that it is one person."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for student in students:
        if len(of_roster[student.key]) == 1:
            continue
        for choice in student.choices.values():
            candidates = [*choice.counts, *(each for each, _ in choice.instead)]
            places = tuple(sorted({each.owner.place for each in candidates if each.owner.place is not None}))
            if len(places) > 1:
                found.setdefault((choice.lesson, places), []).append(student.key)
                break
    for (lesson, places), keys in found.items():
        where = listed([place or "./" for place in places])
        if len(keys) == 1:
            yield said(
                "“{student}” has files for lesson {lesson} in several places: {places}. Are they of one student? "
                "If so, add --yes; else rename one, or grade each place by itself, into an --out of its own",
                student=keys[0],
                lesson=lesson,
                places=where,
            )
        else:
            yield said(
                "each of these has files for lesson {lesson} in several places, {places}: {students}. Is each name one "
                "student's? If so, add --yes; else rename one, or grade each place by itself, into an --out of its own",
                students=listed(keys),
                lesson=lesson,
                places=where,
            )


def lines(plan: Plan) -> Iterator[tuple[int, str]]:
    """The plan as (depth, sentence), one a line: what is deeper belongs to the line above it."""
    lessons = sorted({lesson for student in plan.students.values() for lesson in student.choices})
    yield (
        0,
        said(
            "Plan. Students: {count}. Files: {files}. Lessons: {lessons}. Layout: {layouts}.",
            count=len(plan.students),
            files=len(plan.files),
            lessons=listed([first if first == last else f"{first}–{last}" for first, last in _runs(lessons)])
            or said("none"),
            layouts=joined("{one}; {two}", plan.layouts) or said("none"),
        ),
    )
    for student in sorted(plan.students.values(), key=lambda student: student.key.casefold()):  # a zip has any order
        yield from _of_student(student)
    if plan.left_out:
        yield 0, said("Left out:")
        reasons: dict[str, list[str]] = {}
        for name, why in _by_folders(plan):
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            for first in range(0, len(names), _IN_A_LINE):
                yield 1, joined("{one}: {two}", [why, listed(names[first : first + _IN_A_LINE])])
    yield from _of_class(plan)


def _may_be(plan: Plan, key: str) -> Said:
    return said(
        "{student} may be {names}. Give the file or the folder the name in the brackets, which only one of them has",
        student=key,
        names=listed([plan.expected.called(person) for person in plan.perhaps[key]]),
    )


def _by_folders(plan: Plan) -> Iterator[tuple[str, str]]:
    """What is left out, with the reason: each file, or the whole folder where all in it have one reason."""
    known = {file.name: "" for file in plan.files} | plan.left_out
    inside: dict[pathlib.PurePosixPath, Counter[str]] = defaultdict(Counter)
    for name, why in known.items():
        for folder in pathlib.PurePosixPath(name).parents[:-1]:
            inside[folder][why] += 1
    folders = {folder for folder, of in inside.items() if len(of) == 1 and of.total() > 1}
    listed_folders = set()
    for name, why in plan.left_out.items():
        whole = [each for each in pathlib.PurePosixPath(name).parents if each in folders]
        if not whole:
            yield name, why
        elif whole[-1] not in listed_folders:
            listed_folders.add(whole[-1])
            files = counted(inside[whole[-1]].total(), "file")
            yield said("{folder} ({files})", folder=f"{whole[-1]}/", files=files), why


def _runs(lessons: Iterable[str], alike: Callable[[str, str], bool] = lambda one, next: True) -> list[tuple[str, str]]:
    """(first, last) of each run of lessons that follow each other in the outline; alike: whether two may be in one."""
    runs: list[tuple[str, str]] = []
    for lesson in lessons:
        if runs and int(lesson) == int(runs[-1][1]) + 1 and alike(runs[-1][1], lesson):
            runs[-1] = runs[-1][0], lesson
        else:
            runs.append((lesson, lesson))
    return runs


def _of_class(plan: Plan) -> Iterator[tuple[int, str]]:
    """The lines about who is missing or not clearly known, and about what looks wrong."""
    if plan.missing:
        yield 0, said("Nothing from students who are expected: {count}", count=len(plan.missing))
        for each in plan.missing:
            yield 1, plan.expected.called(each)
    if plan.unlisted:
        yield 0, said("Not in the roster, or not clearly: {count}", count=len(plan.unlisted))
        for key in plan.unlisted:
            yield 1, _may_be(plan, key) if key in plan.perhaps else key
        if plan.perhaps or len(plan.unlisted) < len(plan.students):  # else it stands among what looks wrong
            for sentence in _who_is_who(plan):
                yield 1, sentence
    if plan.perhaps_one:
        yield 0, said("Perhaps one student under several names, who counts as several. A roster says who is who:")
        for group in plan.perhaps_one:
            yield 1, listed(group)
    if plan.doubts:
        yield 0, said("This looks wrong:")
        for sentence in plan.doubts:
            yield 1, sentence


def _of_student(student: Student) -> Iterator[tuple[int, str]]:
    """The lines of one student: what counts, and below it the choices and what is not read."""
    folders = {lesson: _folder_of(choice) for lesson, choice in student.choices.items()}
    runs = _runs(folders, lambda one, other: folders[one] is not None and folders[one] == folders[other])
    chosen = [
        said("lessons {first}–{last} from {folder}", first=first, last=last, folder=folders[first])
        if first != last
        else said(
            "lesson {lesson} from {files}",
            lesson=first,
            files=listed([each.file.name for each in student.choices[first].counts]),
        )
        for first, last in runs
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


def _folder_of(choice: Choice) -> str | None:
    """The folder of the file that counts, where the file is named after the lesson; else None."""
    name = choice.counts[0].file.name
    plain = not choice.undecided and file_names.lesson(name.rpartition("/")[2]) == choice.lesson
    return f"{name.rpartition('/')[0]}/" if plain else None


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
    return [key for key, _ in _names_in(folder)]


def names_of(folder: pathlib.Path) -> dict[str, list[str]]:
    """{student: other names, by which a roster may know the student} of the plan in a folder of results.

    A student whose files came under several names is there under each.
    """
    found = _names_in(folder)
    of_others = {name: [key, *names] for key, names in found for name in names}
    return of_others | dict(found)


def _names_in(folder: pathlib.Path) -> list[tuple[str, list[str]]]:
    """(student, other names) of the plan in a folder. Somebody may have edited the file."""
    listed_there = stored(folder).get("students")
    students = [each for each in listed_there if isinstance(each, dict)] if isinstance(listed_there, list) else []
    return [
        (key, [name for name in names if isinstance(name, str)] if isinstance(names := each.get("names"), list) else [])
        for each in students if isinstance(key := each.get("student"), str)
    ]  # fmt: skip
