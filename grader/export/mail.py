"""A line for each student, for a mail merge: the feedback, and the letter to those who have to hand in again."""

from __future__ import annotations

import csv
import io
import pathlib

from ..language import say, speaking
from ..sentence import counted, said
from . import feedback
from .csv import text
from .entries import Entry, absent, by_student, file_name, write
from .letters import greeting, language_of, letters, to_absent

TO = "mail.csv"
_COLUMNS = (
    "student", "section", "email", "again_subject", "again_text", "feedback_subject", "feedback_text", "page", "key",
)  # fmt: skip


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file; each text is in the language of the student's notebook. Returns sentences. Raises OSError."""
    again = {letter.entries[0].key: letter for letter in letters(entries)}
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(_COLUMNS)
    for key, mine in by_student(entries).items():
        letter = again.get(key)
        email = next((each.email for each in mine if each.email), "")
        cells = [mine[0].student, mine[0].section, email]
        cells += [letter.subject, letter.text] if letter else ["", ""]
        cells += [*_feedback(mine), f"html/students/{file_name(key)}.html", key]  # of two of one name, who is who
        table.writerow(map(text, cells))
    missing = absent(entries)
    for person in missing:
        who = person.name or person.key, person.section, person.email
        table.writerow(map(text, [*who, *to_absent(person.name), "", "", "", person.key]))
    write(to, "\ufeff" + out.getvalue())
    students = counted(len(by_student(entries)) + len(missing), "student")
    return [
        said("{students} in {to}; to hand in again: {again}", students=students, to=to, again=len(again) + len(missing))
    ]


def _feedback(entries: list[Entry]) -> list[str]:
    """[subject, text], both "" for a student of whom no file counts."""
    if not any(entry.counts for entry in entries):
        return ["", ""]
    with speaking(language_of(entries)):
        subject, first = say(said("Five Passes to One: your results")), say(greeting(entries))
        return [subject, "\n".join([first, "", *feedback.of_student(entries)])]
