"""Gradescope's results.json with a test for each exercise. Gradescope grades one student at a time."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence

from ..classroom.race_rows import RaceRow, last
from ..judge import render
from ..language import say, speaking
from ..sentence import counted, joined, said
from .entries import Entry, by_student, file_name, isolation, remarks, write
from .ranking import share_of

TO = "results.json"


def export(entries: list[Entry], to: pathlib.Path, races: Sequence[RaceRow] = ()) -> list[str]:
    """Write the file, or a folder of files for several students. Returns sentences about the result. Raises OSError.

    races: rows of files that raced; they make Gradescope's leaderboard.
    """
    students = by_student(entries)
    if len(students) == 1:
        write(to, _results(entries, races))
        return [said("{files} in {to}", files=counted(len(entries), "file"), to=to)]
    folder = to.with_suffix("")
    for key, mine in students.items():
        write(folder / f"{file_name(key)}.json", _results(mine, races))
    return [said("one results.json for each of {count} students in {folder}", count=len(students), folder=folder)]


def _results(entries: list[Entry], races: Sequence[RaceRow]) -> str:
    """The text of a student's file, in the language of the student's notebook unless another is asked for."""
    with speaking(next((e.row["language"] for e in reversed(entries) if e.row["language"]), None)):
        return _in_language(entries, races)


def _in_language(entries: list[Entry], races: Sequence[RaceRow]) -> str:
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
    if board := _leaderboard(counting, races):
        results["leaderboard"] = board
    return json.dumps(results, indent=1)


def _leaderboard(counting: list[Entry], races: Sequence[RaceRow]) -> list[dict]:
    """The columns of Gradescope's leaderboard: for each exercise that raced the share of a copy, then its times.

    Gradescope shows them under the names that students choose there. Its format: "order" is "desc" unless it says
    "asc"; gradescope-autograders.readthedocs.io, Leaderboards.
    """
    files = {(entry.row["submission"], entry.row["sha256"]) for entry in counting}
    found: list[dict] = []
    for race in last(races).values():
        raced = race["raced"]
        share = share_of(raced) if raced is not None and (race["submission"], race["sha256"]) in files else None
        if raced is None or share is None:
            continue
        name = say(said("{exercise}, share of a copy", exercise=race["exercise"]))
        found.append({"name": name, "value": round(share, 3), "order": "desc"})
        for lap in raced.laps:
            name = say(said("{exercise}, µs on {shape}", exercise=race["exercise"], shape=str(lap.shape)))
            found.append({"name": name, "value": round(lap.microseconds or 0.0, 1), "order": "asc"})
    return found


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
