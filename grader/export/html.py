"""A report in HTML, without a server: no external files, all text escaped.

index.html is the class, for those who grade. lessons/ has a table of each lesson, and exercises/ the wrong answers to
each exercise, by mistake; both are for those who grade, too. students/ has a page a student to hand out. Pages with a
table have one script, which sorts and searches it. Without it the table is plain.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import pathlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from .. import lessons
from ..judge import render
from ..language import between, language, say, speaking
from ..sentence import Said, counted, listed, said
from . import entries as of_entries
from . import likeness, nearest, next_steps, statistics
from .choices import Choice
from .entries import Entry, by_student, exercise_order, file_name, is_file_name, isolation, remarks, write
from .letters import letters, settled, to_absent

TO = "html"
_TEMPLATES = pathlib.Path(__file__).parent / "templates"
_MOST_LISTED = 30  # groups of equal answers on the page; the CSV has them all
_MOST_OPEN = 15  # mistakes and notes that are shown; a line opens the others


def export(entries: list[Entry], to: pathlib.Path, choices: list[Choice] | tuple[Choice, ...] = ()) -> list[str]:
    """Write the pages into a folder. Returns sentences about the result.

    choices: of `grade`, for a person to look over. Raises OSError, or ModuleNotFoundError without Jinja2.
    """
    with speaking(language()):  # which is asked for by each sentence, and else found in the environment each time
        return _export(entries, to, choices)


def _export(entries: list[Entry], to: pathlib.Path, choices: list[Choice] | tuple[Choice, ...]) -> list[str]:
    students, most = by_student(entries), of_entries.lessons(entries)
    common = _common(entries, most)
    table = [_row(key, mine, most) for key, mine in students.items()]
    common["pages"] = {row["key"]: row for row in table}
    sections = [row["section"] for row in table] + [person.section for person in of_entries.absent(entries)]
    common["sections"] = sorted({part for section in sections for part in section.split(", ")} - {""})
    for row, mine in zip(table, students.values()):
        write(to / row["page"], _student(common, row, mine))
    of_earlier = _of_an_earlier_export(to / "students", {pathlib.PurePath(row["page"]).name for row in table})
    for page in of_earlier:
        page.unlink()
    records = _records(entries)
    for number in most:
        ids = [exercise.id for exercise in lessons.of_lesson(number) if exercise.id in records]
        write(
            to / f"lessons/{number}.html",
            template("lesson.html").render(**common, number=number, table=table, records=records, exercises=ids),
        )
    for number, found in records.items():
        page = template("exercise.html").render(**common, exercise=next(iter(found.values()))[1], **_groups(found))
        write(to / f"exercises/{number}.html", page)
    write(to / "index.html", template("index.html").render(**common, **_of_class(entries, table, most, choices)))
    found = [said("{students} in {value}", students=counted(len(students), "student"), value=to / "index.html")]
    if of_earlier:
        files = counted(len(of_earlier), "file")
        found.append(said("of an earlier export, and removed from students/: {files}", files=files))
    return found


def _of_an_earlier_export(folder: pathlib.Path, pages: set[str]) -> list[pathlib.Path]:
    """Pages of students that this export has not written: a roster gave them another name. They would be handed out."""
    return [page for page in sorted(folder.glob("*.html")) if page.name not in pages and is_file_name(page.stem)]


def student_page(entries: list[Entry], most: dict[str, float]) -> str:
    """The page of one student, by itself. entries: the student's. most: as of `entries.lessons` of the class."""
    return _student(_common(entries, most), _row(entries[0].key, entries, most), entries)


def _common(entries: list[Entry], most: dict[str, float]) -> dict:
    """The values that all pages have."""
    common = {"isolation": isolation(entries), "graders": sorted({e.row["grader"] for e in entries})}
    return common | {"language": language().replace("_", "-"), "lessons": most, "possible": sum(most.values())}


def _student(common: dict, row: dict, entries: list[Entry]) -> str:
    return template("student.html").render(**common, row=row, entries=entries, repeated=_repeated(entries))


def _of_class(entries: list[Entry], table: list[dict], most: dict[str, float], choices) -> dict:
    """The values of the page of the class."""
    again, alike = letters(entries), likeness.of(entries)
    done = {id(entry) for letter in again for entry in letter.entries}
    done |= {id(entry) for mine in by_student(entries).values() for entry in mine if settled(entry, mine)}
    person = [entry for entry in entries if id(entry) not in done and of_entries.for_a_person(entry)]
    odd = [entry for entry in entries if id(entry) not in done and _others(entry)]
    mistakes, absent = statistics.mistakes(entries), of_entries.absent(entries)
    return {
        "table": table,
        "total": statistics.spread([row["total"] for row in table if not row["unread"]]),
        "spreads": {n: statistics.spread([row["points"][n] for row in table if n not in row["unread"]]) for n in most},
        # Not of a file are points that a person gave to somebody who handed in none.
        "handed_in": {n: sum(bool(cell := row["cells"][n]) and cell.of_file for row in table) for n in most},
        "with_file": len({entry.key for entry in entries if entry.of_file}),
        "mistakes": mistakes,
        "missed": statistics.missed(entries),
        "steps": next_steps.steps(again, absent, person, choices, odd, mistakes, alike),
        "letters": again,
        "absent": absent,
        "to_absent": to_absent(),
        "about": of_entries.about_the_class(entries),
        "by_hand": [(entry.key, entry.by_hand) for entry in entries if entry.by_hand],
        "choices": choices,
        "alike": alike,
        "most_listed": _MOST_LISTED,
        "most_open": _MOST_OPEN,
        "notes": {
            "person": _notes(person, of_entries.for_a_person),
            "time": _notes(entries, of_entries.late_or_superseded),
            "other": _notes(entries, _others),
        },
    }


def _row(key: str, entries: list[Entry], most: dict[str, float]) -> dict:
    """A student in the table. A lesson that was not handed in has no cell, and 0 points; standing says what it has."""
    cells = {n: next((e for e in entries if e.counts and e.row["lesson"] == n), None) for n in most}
    points = {n: entry.row["score"] if entry else 0.0 for n, entry in cells.items()}
    standing = {n: of_entries.standing(entries, n) for n in most}
    found = {"key": key, "name": entries[0].student, "section": entries[0].section, "cells": cells, "points": points}
    found |= {"page": f"students/{file_name(key)}.html", "anchor": f"s-{file_name(key)[-12:]}"}
    found |= {"standing": {n: of_entries.STANDING[kind] for n, kind in standing.items()}}
    found |= {"missing": [n for n, kind in standing.items() if kind == "missing"]}
    found |= {"unread": [n for n, kind in standing.items() if kind in ("unreadable", "exempt")]}  # no points are known
    found["total"], found["possible"] = of_entries.total(entries, most)
    return found


def _records(entries: list[Entry]) -> dict[str, dict[str, tuple[Entry, dict]]]:
    """{exercise: {student: (entry, record)}} of the files that count, in the order of exercises."""
    found: dict[str, dict[str, tuple[Entry, dict]]] = defaultdict(dict)
    for entry in entries:
        for exercise in entry.row["exercises"] if entry.counts else []:
            found[exercise["id"]][entry.key] = entry, exercise
    return {number: found[number] for number in sorted(found, key=exercise_order)}


@dataclass(frozen=True)
class _Given:
    """One wrong answer, and all students who gave it with the same outcome. text: None where the row keeps none."""

    record: dict
    text: str | None
    near: nearest.Near | None
    students: list[str]


def _groups(found: dict[str, tuple[Entry, dict]]) -> dict:
    """The wrong answers to an exercise, by mistake, the most frequent first; and the counts of all answers."""
    same: dict[tuple, _Given] = {}
    counts = {"passed": 0, "wrong": 0, "not_attempted": 0}
    for key, (entry, record) in found.items():
        status = record["status"]
        counts[status if status in counts else "wrong"] += 1
        if status in ("passed", "not_attempted"):
            continue
        kept = (entry.row["answers"] or {}).get(record["id"])
        text = kept["text"] if kept else None
        which = record["mistake"], record["message"], text, record["score"]
        if which not in same:
            close = nearest.near(record["id"], record["mistake"], text) if text else None
            same[which] = _Given(record, text, close, [])
        same[which].students.append(key)
    groups: dict[str | None, list[_Given]] = defaultdict(list)
    for given in same.values():
        groups[given.record["mistake"]].append(given)
    of_mistake = [
        {
            "id": mistake,
            "named": render.known(mistake) if mistake else None,
            "edit": nearest.edit(given[0].record["id"], mistake) if mistake else (),
            "given": given,
            "students": sum(len(each.students) for each in given),
        }
        for mistake, given in groups.items()
    ]
    return {"counts": counts, "groups": sorted(of_mistake, key=lambda group: (group["id"] is None, -group["students"]))}


def _repeated(entries: list[Entry]) -> dict[str, list[str]]:
    """{sentence: exercises} of the remarks that stand in several exercises of a student, to be said once."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        for exercise in entry.row["exercises"] if entry.counts else []:
            for sentence in dict.fromkeys([*exercise["remarks"], *exercise["flags"]]):
                found[sentence].append(exercise["id"])
    return {sentence: ids for sentence, ids in found.items() if len(ids) > 1}


def _notes(entries: list[Entry], which: Callable[[Entry], list[str]]) -> list[tuple[list[str], list[str]]]:
    """(sentences, files), where files of which the same is said stand together; the most files first."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for entry in entries:
        if sentences := which(entry):
            found[tuple(sentences)].append(entry.row["submission"])
    return sorted(([*sentences], files) for sentences, files in found.items()) if found else []


def _others(entry: Entry) -> list[str]:
    """The other remarks that are for the instructor."""
    looked_at = of_entries.to_look_at(entry)
    return [sentence for sentence in of_entries.other_remarks(entry) if sentence in looked_at]


def _coded(sentence: str):
    """A sentence in HTML whose parts between backticks are code."""
    from markupsafe import Markup, escape

    parts = (escape(part) for part in say(sentence).split("`"))
    return Markup("").join(Markup("<code>{}</code>").format(part) if n % 2 else part for n, part in enumerate(parts))


def _slug(number: str | None) -> str:
    return say(lessons.TITLES[number]).partition("  ")[2].replace("_", " ") if number in lessons.TITLES else ""


def _lesson_heading(number: str) -> str:
    return say(said("Lesson {number} ({title})", number=number, title=_slug(number)))


def _lesson_name(number: str) -> str:
    return say(said("{number} ({title})", number=number, title=_slug(number)))


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
    environment.globals |= {"render": render, "remarks": remarks, "said": said, "listed": listed, "counted": counted}
    environment.globals |= {"between": between}
    # The content security policy allows style and script by their hashes, so that no others have an effect.
    for name, file in (("style", "style.css"), ("script", "table.js")):
        text = (_TEMPLATES / file).read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        environment.globals |= {name: Markup(text), f"{name}_hash": f"sha256-{digest}"}
    environment.filters |= {"slug": _slug, "number": render.number, "coded": _coded}
    environment.filters |= {"lesson_name": _lesson_name, "lesson_heading": _lesson_heading}
    return environment


def template(name: str):
    """A template of the pages, whose text is escaped."""
    return _environment().get_template(name)
