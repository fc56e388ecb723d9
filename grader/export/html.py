"""A report in HTML: a page for the class and one for each student. No scripts, no external files, all text escaped."""

from __future__ import annotations

import base64
import functools
import hashlib
import pathlib

from .. import lessons
from ..judge import render
from . import statistics
from .entries import Entry, by_student, file_name, isolation, remarks, to_look_at, write

TO = "html"
_TEMPLATES = pathlib.Path(__file__).parent / "templates"


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write index.html and students/*.html into a folder. Returns sentences about the result.

    Raises OSError, or ModuleNotFoundError without Jinja2.
    """
    students = by_student(entries)
    common = {"isolation": isolation(entries), "graders": sorted({e.row["grader"] for e in entries})}
    for key, mine in students.items():
        page = _template("student.html").render(**common, student=mine[0].student, entries=mine, total=_total(mine))
        write(to / "students" / f"{file_name(key)}.html", page)
    numbers = sorted({e.row["lesson"] for e in entries if e.counts})
    table = [
        {
            "name": mine[0].student,
            "page": f"students/{file_name(key)}.html",
            "cells": [next((e for e in mine if e.counts and e.row["lesson"] == n), None) for n in numbers],
            "total": _total(mine),
        }
        for key, mine in students.items()
    ]
    page = _template("index.html").render(
        **common,
        lessons=[(number, _slug(number)) for number in numbers],
        table=table,
        mistakes=statistics.mistakes(entries),
        missed=statistics.missed(entries),
        notes=[(e.row["submission"], to_look_at(e)) for e in entries if to_look_at(e)],
    )
    write(to / "index.html", page)
    return [f"{len(students)} students in {to / 'index.html'}"]


def _total(entries: list[Entry]) -> str:
    counting = [e.row for e in entries if e.counts]
    return f"{render.number(sum(r['score'] for r in counting))}/{render.number(sum(r['max_score'] for r in counting))}"


def _slug(number: str | None) -> str:
    return lessons.OUTLINE[number][0].replace("_", " ") if number in lessons.OUTLINE else ""


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
    )
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    # The content security policy allows this style by its hash, so that no other style has an effect.
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment.globals |= {
        "style": Markup(style),
        "style_hash": f"sha256-{digest}",
        "render": render,
        "remarks": remarks,
    }
    environment.filters["slug"] = _slug
    return environment


def _template(name: str):
    return _environment().get_template(name)
