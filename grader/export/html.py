"""A report in HTML: a page for the class and one for each student. No external files, all text escaped.

The page of the class has one script, which sorts and searches its table. Without it the table is plain.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import pathlib
from collections.abc import Callable

from .. import lessons
from ..judge import render
from ..language import language, say
from ..sentence import Said, listed, said
from . import entries as of_entries
from . import statistics
from .entries import Entry, by_student, file_name, isolation, remarks, write

TO = "html"
_TEMPLATES = pathlib.Path(__file__).parent / "templates"


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write index.html and students/*.html into a folder. Returns sentences about the result.

    Raises OSError, or ModuleNotFoundError without Jinja2.
    """
    students, most = by_student(entries), of_entries.lessons(entries)
    common = {"isolation": isolation(entries), "graders": sorted({e.row["grader"] for e in entries})}
    common |= {"language": language().replace("_", "-"), "lessons": most, "possible": sum(most.values())}
    table = [_row(key, mine, most) for key, mine in students.items()]
    for row, mine in zip(table, students.values()):
        page = _template("student.html").render(**common, row=row, entries=mine)
        write(to / row["page"], page)
    page = _template("index.html").render(
        **common,
        table=table,
        total=statistics.spread([row["total"] for row in table if not row["unread"]]),
        spreads={n: statistics.spread([row["points"][n] for row in table if n not in row["unread"]]) for n in most},
        handed_in={n: sum(row["cells"][n] is not None for row in table) for n in most},
        mistakes=statistics.mistakes(entries),
        missed=statistics.missed(entries),
        notes={kind: _notes(entries, which) for kind, which in _NOTES.items()},
    )
    write(to / "index.html", page)
    return [said("{count} students in {value}", count=len(students), value=to / "index.html")]


def _row(key: str, entries: list[Entry], most: dict[str, float]) -> dict:
    """A student in the table. A lesson that was not handed in has no cell, and 0 points; standing says what it has."""
    cells = {n: next((e for e in entries if e.counts and e.row["lesson"] == n), None) for n in most}
    points = {n: entry.row["score"] if entry else 0.0 for n, entry in cells.items()}
    standing = {n: of_entries.standing(entries, n) for n in most}
    found = {"name": entries[0].student, "page": f"students/{file_name(key)}.html", "cells": cells, "points": points}
    found |= {"standing": {n: of_entries.STANDING[kind] for n, kind in standing.items()}}
    found |= {"missing": [n for n, kind in standing.items() if kind == "missing"]}
    found |= {"unread": [n for n, kind in standing.items() if kind in ("unreadable", "exempt")]}  # no points are known
    found["total"], found["possible"] = of_entries.total(entries, most)
    return found


def _notes(entries: list[Entry], which: Callable[[Entry], list[str]]) -> list[tuple[str, list[str]]]:
    return [(e.row["submission"], sentences) for e in entries if (sentences := which(e))]


def _others(entry: Entry) -> list[str]:
    """The other remarks that are for the instructor."""
    looked_at = of_entries.to_look_at(entry)
    return [sentence for sentence in of_entries.other_remarks(entry) if sentence in looked_at]


_NOTES = {"person": of_entries.for_a_person, "time": of_entries.late_or_superseded, "other": _others}


def _slug(number: str | None) -> str:
    return lessons.OUTLINE[number][0].replace("_", " ") if number in lessons.OUTLINE else ""


def _lesson_name(number: str) -> str:
    return f"{number} ({_slug(number)})"


@functools.cache
def _environment():
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: say(value) if isinstance(value, Said) else value,
    )
    environment.globals |= {"render": render, "remarks": remarks, "said": said, "listed": listed}
    # The content security policy allows style and script by their hashes, so that no others have an effect.
    for name, file in (("style", "style.css"), ("script", "table.js")):
        text = (_TEMPLATES / file).read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        environment.globals |= {name: Markup(text), f"{name}_hash": f"sha256-{digest}"}
    environment.filters |= {"slug": _slug, "number": render.number, "lesson_name": _lesson_name}
    return environment


def _template(name: str):
    return _environment().get_template(name)
