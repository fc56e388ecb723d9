"""Moodle: fill grades and feedback into the grading worksheet of an assignment.

Moodle reads the worksheet by the headers of its own language, so all cells but those two stay as they are. Feedback is
HTML there.
"""

from __future__ import annotations

import csv
import html
import io
import pathlib
import re
from collections.abc import Iterator

from ..classroom.sanitize import plain
from ..judge import render
from ..language import say, speaking
from ..sentence import Said, counted, joined, listed, said
from . import entries as of_entries
from . import feedback
from .csv import html_text
from .entries import Entry, by_student, write
from .gradebook import NotAGradebook, NothingFits
from .letters import language_of

TO = "moodle.csv"
_GRADE = ("grade", "成绩", "评分", "分数", "bewertung", "note", "calificación", "nota")
_LOCKED = ("no", "否", "nein", "non")  # in the column "Grade can be changed"
_BRACKETS = (")", "）")  # end "Last modified (grade)", the last column where feedback comments are not allowed
_IDS = ("email", "number", "login")  # of a roster, which may stand in columns of the worksheet
# The number behind a student's name in what Moodle hands out, which ends "Participant 101" in the worksheet.
_PARTICIPANT = re.compile(r"_([0-9]{1,18})_assignsubmission_")


def export(entries: list[Entry], to: pathlib.Path, worksheet: bytes) -> list[str]:
    """Write the worksheet with the points of all lessons that the results have. Returns sentences.

    Raises OSError, NotAGradebook or NothingFits.
    """
    rows, dialect = _read(worksheet)
    head = [cell.strip().casefold() for cell in rows[0]]
    grade = next((n for n, name in enumerate(head) if name in _GRADE), 0)
    if not grade or len(head) < grade + 4:
        raise NotAGradebook(said("it has no column for grades with three more behind it, as Moodle's worksheet has"))
    most = of_entries.lessons(entries)
    log, students = _lessons(most), by_student(entries)
    rows_of = _rows_of(rows, grade, students)
    if not any(rows_of.values()):
        raise NothingFits(of_entries.of_another_class(entries))
    filled, kept, with_feedback = 0, 0, not head[-1].endswith(_BRACKETS)
    for number, row in enumerate(rows[1:], 1):
        found = [key for key, places in rows_of.items() if number in places]
        if len(row) < len(head) or (len(found) == 1 and len(rows_of[found[0]]) > 1):  # see _not_clear
            continue
        mine = students[found[0]] if len(found) == 1 else []
        if mine and row[grade + 2].strip().casefold() in _LOCKED:
            kept += 1
        elif len(found) < 2:
            why, exempt = _without_grade(row, mine, most), [e.row["lesson"] for e in mine if e.counts and e.exempt]
            log += [why] if why else _exempt_from(exempt, mine, most) if exempt else []
            if not why:
                points = render.number(of_entries.total(mine, most)[0])
                row[grade] = points.replace(".", ",") if "," in row[grade + 1] else points
                row[-1] = _html(mine) if with_feedback else row[-1]
                filled += 1
    log += [*_not_clear(rows, students, rows_of), *of_entries.exempt_in_part(entries)]
    grades = counted(filled, "grade")
    log.append(said("{grades} filled in, with feedback", grades=grades) if with_feedback else _no_column(grades))
    if kept:
        log.append(said("locked in Moodle, and left as they are: {grades}", grades=counted(kept, "grade")))
    out = io.StringIO()
    csv.writer(out, dialect).writerows(rows)
    write(to, out.getvalue())
    return [plain(say(sentence)) for sentence in [*log, said("the worksheet to upload is {to}", to=to)]]


def _without_grade(row: list[str], mine: list[Entry], most: dict[str, float]) -> Said | None:
    """Why a row of the worksheet gets no grade. mine: the entries of its student, if there are any."""
    if not mine:
        return said("no submission: {name}", name=_name(row))
    student = mine[0].student
    if not all(entry.finished for entry in mine if entry.counts):
        return said("not judged in full, and no grade filled in: {student}", student=student)
    if unread := [n for n in most if of_entries.standing(mine, n) == "unreadable"]:
        values = {"student": student, "list": listed(unread)}
        return said("not readable, and no grade filled in: {student}, lesson {list}", **values)
    if not any(entry.counts for entry in mine):  # there are files, but of lessons that the assignment does not have
        others = listed(sorted({entry.row["lesson"] for entry in mine if entry.row["lesson"]}))
        return said("of other lessons only, and no grade filled in: {student}, lesson {list}", student=student,
                    list=others)  # fmt: skip
    if {*most} <= {entry.row["lesson"] for entry in mine if entry.counts and entry.exempt}:
        return said("exempt, and no grade filled in: {student}", student=student)
    return None


def _exempt_from(exempt: list[str], mine: list[Entry], most: dict[str, float]) -> list[Said]:
    """A sentence about a student who is exempt from some of the lessons."""
    score, possible = of_entries.total(mine, most)
    return [
        said(
            "{student} is exempt from lesson {list}, and has {score} of {points}: the worksheet counts out of more",
            student=mine[0].student, list=listed(exempt), score=f"{score:g}", points=counted(possible, "point"),
        )
    ]  # fmt: skip


def _not_clear(
    rows: list[list[str]], students: dict[str, list[Entry]], rows_of: dict[str, list[int]]
) -> Iterator[Said]:
    """A sentence about each student of whom no row is, or several may be, and about each row of several students."""
    for key, places in rows_of.items():
        name = students[key][0].row["student"]
        if not places:
            yield said("not in the worksheet: {student}", student=students[key][0].student)
        elif len(places) > 1:
            names = joined("{one} or {two}", [_name(rows[number], 3) for number in places])
            yield said("no grade filled in: {name} may be {names}", name=name, names=names)
    for number in sorted({number for places in rows_of.values() for number in places}):
        names = [students[key][0].row["student"] for key, places in rows_of.items() if number in places]
        if len(names) > 1:
            several = joined("{one} or {two}", names)
            yield said("no grade filled in: {name} may be {names}", name=_name(rows[number]), names=several)


def _name(row: list[str], cells: int = 2) -> str:
    return plain(" ".join(row[:cells]))


def _no_column(grades: Said) -> Said:
    return said(
        'the worksheet has no column for feedback, so that only {grades} are filled in: allow "Feedback comments" in '
        "the assignment, and download it again",
        grades=grades,
    )


def _read(worksheet: bytes) -> tuple[list[list[str]], type[csv.Dialect]]:
    """(rows, dialect) of the file. Raises NotAGradebook."""
    try:
        text = worksheet.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotAGradebook(said("it is not UTF-8")) from None
    first = text.partition("\n")[0]

    class Dialect(csv.excel):
        delimiter = max(",;\t", key=first.count)

    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), Dialect))
    except csv.Error as error:
        raise NotAGradebook(str(error)) from None
    if not rows or not rows[0]:
        raise NotAGradebook(said("it is empty"))
    return rows, Dialect


def _rows_of(rows: list[list[str]], grade: int, students: dict[str, list[Entry]]) -> dict[str, list[int]]:
    """{student: the numbers of the rows that may be the student's}.

    By the participant's number; else by e-mail address, number or login; else by name, in the rows that are nobody's
    yet. grade: the column of the grade, behind those that say who it is.
    """
    found: dict[str, list[int]] = {key: [] for key in students}
    open_ones = [number for number, row in enumerate(rows) if number and len(row) >= len(rows[0])]
    for rule in (_by_participant, _by_id, _by_name):
        for key, mine in students.items():
            if not found[key] and (rule is _by_participant or not _participants(mine)):
                found[key] = [n for n in open_ones if rule(rows[n], grade, mine)]
        taken = {number for places in found.values() for number in places}
        open_ones = [number for number in open_ones if number not in taken]
    return found


def _participants(entries: list[Entry]) -> set[str]:
    return {found[1] for e in entries if (found := _PARTICIPANT.search(e.row["submission"]))}


def _by_participant(row: list[str], _: int, entries: list[Entry]) -> bool:
    person = entries[0].person
    numbers = _participants(entries) or {person.id("participant") if person else ""} - {""}
    behind = re.search(r"([0-9]+)\s*$", row[0])
    return bool(behind) and behind[1] in numbers


def _by_id(row: list[str], grade: int, entries: list[Entry]) -> bool:
    ids = {value.casefold() for kind, value in (entries[0].person.ids if entries[0].person else ()) if kind in _IDS}
    return not {cell.strip().casefold() for cell in row[2:grade]}.isdisjoint({entries[0].key.strip().casefold(), *ids})


def _by_name(row: list[str], grade: int, entries: list[Entry]) -> bool:
    names = {name.strip().casefold() for name in (entries[0].key, entries[0].student)} - {""}
    return not {cell.strip().casefold() for cell in row[1:grade]}.isdisjoint(names)


def _lessons(most: dict[str, float]) -> list[str]:
    """A sentence about what a grade is the sum of, where it is of several lessons. most: of `entries.lessons`."""
    if len(most) < 2:
        return []
    return [
        said("a grade is the sum of the lessons {list}: is the worksheet that of all of them?", list=listed([*most]))
    ]


def _html(entries: list[Entry]) -> str:
    """The feedback on a student's files, in the language of the notebook."""
    with speaking(language_of(entries)):
        lines = feedback.of_student(entries)
    return html_text("<p>" + "<br>".join(html.escape(line) for line in lines) + "</p>")
