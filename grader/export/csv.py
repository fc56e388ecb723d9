"""CSV: a line for each file, and for each student of the roster without one; a column for each exercise.

A byte order mark tells Excel that it is UTF-8.
"""

from __future__ import annotations

import csv
import io
import pathlib
import re

from ..judge import render
from ..language import say
from ..sentence import counted, said
from .entries import Entry, absent, exercise_order, remarks, write

TO = "results.csv"
# A cell begins at the start of a text and, for a spreadsheet with another separator, behind each of these: separators,
# and every end of line. Wide forms count, because a conversion to an older encoding makes them the plain characters.
_BEGINS = r"[,;|\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029，；｜﹐﹔]"
# A spreadsheet may take away blanks and quotes in front of a formula.
_SKIPPED = r"[\s\x00-\x1f\"“”＂\u200b-\u200f\u2060\ufeff]"
_FORMULA = r"[=+\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋]"
_SIGN = re.compile(rf"((?:^|{_BEGINS}){_SKIPPED}*)({_FORMULA})")
_COMPUTED = re.compile(rf"(^|{_BEGINS})(?={_SKIPPED}*{_FORMULA})")


def text(value: str) -> str:
    """The text with an apostrophe wherever a cell could begin with a formula, whatever separates cells."""
    return _COMPUTED.sub(r"\1'", value)


def html_text(value: str) -> str:
    """HTML in which no cell begins with a formula either: the signs that begin one become entities."""
    while (found := _SIGN.sub(lambda sign: f"{sign[1]}&#{ord(sign[2])};", value)) != value:
        value = found
    return value


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file. Returns sentences about the result. Raises OSError."""
    ids = {e["id"] for entry in entries for e in entry.row["exercises"]}
    exercises = sorted(ids, key=exercise_order)
    out = io.StringIO()
    table = csv.writer(out)  # line ends are CRLF, as in RFC 4180
    known = ["student", "lesson", "submission", "handed_in_utc", "counts", "score", "max_score"]
    table.writerow([*known, "mistakes", "notes", "isolation", *exercises, "name", "section", "by_hand"])
    for entry in entries:
        row, scores = entry.row, {e["id"]: e["score"] for e in entry.row["exercises"]}
        named = [f"{e['id']} {m['id']}" for e in row["exercises"] for m in render.mistakes(e)[:1]]
        cells = [row["student"], row["lesson"] or "", row["submission"], row["handed_in"] or ""]
        cells.append("yes" if entry.counts else "no")
        rest = ["; ".join(named), "; ".join(map(say, remarks(entry))), row["isolation"]]
        exempt = {word.exercise for word in entry.worth.overrides if word.points is None}
        points = ["exempt" if i in exempt else scores.get(i, "") for i in exercises]
        person = [entry.student if entry.person else "", entry.section, "; ".join(map(say, entry.by_hand))]
        numbers = [row["score"], row["max_score"]] if not entry.exempt else ["exempt", ""]
        table.writerow([*map(text, cells), *numbers, *map(text, rest), *points, *map(text, person)])
    for person in absent(entries):
        note = say(said("nothing handed in"))
        cells = [person.key, "", "", "", "no", "", "", "", note, "", *("" for _ in exercises)]
        table.writerow([text(cell) for cell in (*cells, person.name, person.section, "")])
    write(to, "\ufeff" + out.getvalue())
    return [said("{files} in {to}", files=counted(len(entries), "file"), to=to)]
