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

from ..classroom.sanitize import plain
from ..judge import render
from ..language import say, speaking
from ..sentence import counted, listed, said
from . import entries as of_entries
from . import feedback
from .csv import html_text
from .entries import Entry, by_student, write
from .gradebook import NotAGradebook, NothingFits
from .letters import language_of

TO = "moodle.csv"
_GRADE = ("grade", "成绩", "评分", "分数", "bewertung", "note", "calificación", "nota")
_LOCKED = ("no", "否", "nein", "non")  # in the column "Grade can be changed"
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
    log, unmatched = _lessons(most), dict(by_student(entries))
    filled, kept = 0, 0
    for row in rows[1:]:
        if len(row) < len(head):
            continue
        found = [key for key, mine in unmatched.items() if _is_of(row, mine)]
        if len(found) != 1:
            log.append(said("no submission: {name}", name=plain(" ".join(row[:2]))))
            continue
        mine = unmatched.pop(found[0])
        if row[grade + 2].strip().casefold() in _LOCKED:
            kept += 1
            continue
        if not all(entry.finished for entry in mine if entry.counts):
            log.append(said("not judged in full, and no grade filled in: {student}", student=mine[0].student))
            continue
        if unread := [n for n in most if of_entries.standing(mine, n) == "unreadable"]:
            log.append(
                said(
                    "not readable, and no grade filled in: {student}, lesson {list}",
                    student=mine[0].student,
                    list=listed(unread),
                )
            )
            continue
        points = render.number(of_entries.total(mine, most)[0])
        row[grade] = points.replace(".", ",") if "," in row[grade + 1] else points
        row[-1] = _html(mine)
        filled += 1
    if len(unmatched) == len(by_student(entries)):
        raise NothingFits(of_entries.of_another_class(entries))
    log += [said("not in the worksheet: {student}", student=mine[0].student) for mine in unmatched.values()]
    log += of_entries.exempt_in_part(entries)
    log.append(said("{grades} filled in, with feedback", grades=counted(filled, "grade")))
    if kept:
        log.append(said("locked in Moodle, and left as they are: {grades}", grades=counted(kept, "grade")))
    out = io.StringIO()
    csv.writer(out, dialect).writerows(rows)
    write(to, out.getvalue())
    return [plain(say(sentence)) for sentence in [*log, said("the worksheet to upload is {to}", to=to)]]


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


def _is_of(row: list[str], entries: list[Entry]) -> bool:
    """Whether a row of the worksheet is that of a student: by the participant's number, else by e-mail or full name."""
    numbers = {found[1] for e in entries if (found := _PARTICIPANT.search(e.row["submission"]))}
    if numbers:
        behind = re.search(r"([0-9]+)\s*$", row[0])
        return bool(behind) and behind[1] in numbers
    names = {cell.strip().casefold() for cell in row[1:4]} - {""}
    person = entries[0].person
    own = {entries[0].key, *((person.name, person.email) if person else ())}
    return not names.isdisjoint(name.strip().casefold() for name in own if name)


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
