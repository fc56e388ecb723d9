"""Gradescope's results.json with a test for each exercise. Gradescope grades one student at a time."""

from __future__ import annotations

import json
import pathlib

from ..judge import render
from ..language import say, speaking
from ..sentence import joined, said
from .entries import Entry, by_student, file_name, isolation, remarks, write

TO = "results.json"


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file, or a folder of files for several students. Returns sentences about the result. Raises OSError."""
    students = by_student(entries)
    if len(students) == 1:
        write(to, _results(entries))
        return [said("{count} files in {to}", count=len(entries), to=to)]
    folder = to.with_suffix("")
    for key, mine in students.items():
        write(folder / f"{file_name(key)}.json", _results(mine))
    return [said("one results.json for each of {count} students in {folder}", count=len(students), folder=folder)]


def _results(entries: list[Entry]) -> str:
    """The text of a student's file, in the language of the student's notebook unless another is asked for."""
    with speaking(next((e.row["language"] for e in reversed(entries) if e.row["language"]), None)):
        return _in_language(entries)


def _in_language(entries: list[Entry]) -> str:
    counting = [e for e in entries if e.counts]
    notes = [joined("{one}: {two}", [e.row["submission"], sentence]) for e in entries for sentence in remarks(e)]
    results = {
        "score": sum(e.row["score"] for e in counting),
        "execution_time": sum(e.row["seconds"] for e in entries),
        "output": "\n".join(map(say, [*notes, said("isolation: {isolation}", isolation=isolation(entries))])),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(e) for entry in counting for e in entry.row["exercises"]],
    }
    return json.dumps(results, indent=1)


def _test(exercise: dict) -> dict:
    return {
        "name": render.name(exercise),
        "number": exercise["id"],
        "score": exercise["score"],
        "max_score": exercise["max_score"],
        "status": "passed" if exercise["status"] == "passed" else "failed",
        "output": "\n".join(render.lines(exercise)),
        "output_format": "text",
        "visibility": "visible",
    }
