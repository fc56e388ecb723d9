"""What a step of a workflow hands to GitHub Classroom's reporter: one test for each exercise, with its points.

The reporter reads the file of one student.
"""

from __future__ import annotations

import json
import pathlib

from ..judge import render
from ..language import say, speaking
from ..sentence import counted, said
from .entries import Entry, by_student, file_name, remarks, write

TO = "github.json"


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file, or a folder of files for several students. Returns sentences about the result. Raises OSError."""
    students = by_student(entries)
    if len(students) == 1:
        return _of_one(entries, to)
    folder = to.with_suffix("")
    for key, mine in students.items():
        _of_one(mine, folder / f"{file_name(key)}.json")
    return [said("one file for each of {count} students in {folder}", count=len(students), folder=folder)]


def _of_one(entries: list[Entry], to: pathlib.Path) -> list[str]:
    with speaking(next((e.row["language"] for e in reversed(entries) if e.row["language"]), None)):
        return _in_language(entries, to)


def _in_language(entries: list[Entry], to: pathlib.Path) -> list[str]:
    counting = [entry for entry in entries if entry.counts]
    tests = [_test(exercise) for entry in counting for exercise in entry.row["exercises"]]
    tests += [
        {"name": entry.row["submission"], "status": "error", "score": 0, "message": "; ".join(map(say, remarks(entry)))}
        for entry in entries
        if entry.row["lesson"] is None
    ]
    most = sum(entry.row["max_score"] for entry in counting)
    points = sum(entry.row["score"] for entry in counting)
    status = "pass" if tests and all(test["status"] == "pass" for test in tests) else "fail"
    write(to, json.dumps({"version": 1, "status": status, "max_score": most, "tests": tests}, indent=1))
    return [said("{number} of {points} in {to}", number=render.number(points), points=counted(most, "point"), to=to)]


def _test(exercise: dict) -> dict:
    return {
        "name": render.name(exercise),
        "status": "pass" if exercise["status"] == "passed" else "fail",
        "score": exercise["score"],
        "message": "\n".join(render.lines(exercise)),
    }
