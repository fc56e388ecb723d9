"""The feedback for one student as lines of text, for what is sent or uploaded."""

from __future__ import annotations

from ..judge import render
from ..language import say
from ..sentence import Said, counted, said
from .entries import Entry, remarks


def of_file(entry: Entry) -> list[str]:
    """The lines about one file: its lesson and points, what is to say about it, and each of its exercises."""
    row = entry.row
    if row["lesson"] is None:
        return [say(said("{file} is of no lesson", file=row["submission"])), *map(say, remarks(entry))]
    lines = [say(said("Lesson {number}: {points}", number=row["lesson"], points=_points(row)))]
    lines += map(say, remarks(entry))
    for exercise in row["exercises"] if entry.counts else []:
        lines += ["", f"{render.mark(exercise)[0]} {render.name(exercise)}", *render.lines(exercise)]
    return lines


def _points(row) -> Said:
    return said("{score} of {points}", score=render.number(row["score"]), points=counted(row["max_score"], "point"))


def of_student(entries: list[Entry]) -> list[str]:
    """The lines about the files of a student that count, with an empty line between two of them."""
    lines: list[str] = []
    for entry in entries:
        if entry.counts:
            lines += [*([""] if lines else []), *of_file(entry)]
    return lines
