"""What a row is worth: points of the assignment, a person's word and what lateness costs, applied to the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import lessons
from ..classroom.assignment import Assignment
from ..classroom.overrides import FILE, Override
from ..classroom.rows import Row
from ..isolation import UNKNOWN
from ..sentence import Said, counted, joined, said
from ..spec import Record, Result
from ..version import VERSION

_DIGITS = 6  # of points


@dataclass(frozen=True)
class Worth:
    """A row, and what was done to its points.

    row: with the points that count. overrides: those that were applied, of several about one thing the last one. taken:
    points that lateness cost. exempted: points that are asked of others and not of this student. judged: the points
    before overrides and lateness.
    """

    row: Row
    overrides: tuple[Override, ...] = ()
    days_late: int | None = None
    taken: float = 0.0
    exempted: float = 0.0
    judged: float = 0.0


def of(row: Row, assignment: Assignment | None, overrides: Sequence[Override]) -> Worth:
    """What a row is worth. overrides: those of its student for its lesson, in the order of their lines.

    Points that a person gives are final: lateness takes off what was judged, and nothing of them.
    """
    if row["lesson"] is None:
        return Worth(row)
    last = {each.exercise: each for each in overrides}
    exercises, by_hand, judged, exempted = [], 0.0, 0.0, 0.0
    there = {e["id"] for e in row["exercises"]}
    added = _not_attempted(row["lesson"]) if last else []  # the row may be of a grader that had fewer exercises
    new = [e for e in added if e["id"] in last and e["id"] not in there]
    for e in (*row["exercises"], *new):
        most = e["max_score"] if assignment is None else assignment.points_of(e["id"], e["max_score"])
        if assignment and e["id"] in assignment.leave_out:
            continue
        share = min(e["score"], e["max_score"]) / e["max_score"] if e["max_score"] else 0.0
        points = round(share * most, _DIGITS)
        word = last.get(e["id"])
        if word is None:
            judged += points
        elif word.points is None:
            exempted += 0.0 if e["bonus"] else most
            points, most = 0.0, 0.0
        else:
            by_hand += word.points
            points = word.points
        remarks = [*e["remarks"], *([word.sentence] if word else [])]
        exercises.append(e | {"score": points, "max_score": most, "remarks": remarks})
    possible = sum(e["max_score"] for e in exercises if not e["bonus"])
    days = assignment.days_late(row["lesson"], row["handed_in"]) if assignment else None
    kept = judged * (assignment.kept_share(days) if assignment else 1.0)
    score, taken = kept + by_hand, judged - kept
    if word := last.get(row["lesson"]):
        exempted, possible = (exempted, possible) if word.points is not None else (exempted + possible, 0.0)
        score, taken = word.points or 0.0, 0.0
    points = {"score": round(score, _DIGITS), "max_score": round(possible, _DIGITS), "exercises": exercises}
    applied = tuple(last[name] for name in last if name == row["lesson"] or name in {e["id"] for e in exercises})
    return Worth(row | points, applied, days, round(taken, _DIGITS), exempted, round(judged, _DIGITS))  # type: ignore


def without_file(student: str, lesson: str) -> Row:
    """The row of a student who handed in no file for a lesson, and to whom a person gives points for it."""
    empty = _not_attempted(lesson)
    most = sum(e["max_score"] for e in empty if not e["bonus"])
    return {
        "submission": FILE, "student": student, "handed_in": None, "instead": None, "lesson": lesson, "sha256": None,
        "grader": VERSION, "seed": "", "score": 0.0, "max_score": most, "isolation": UNKNOWN, "seconds": 0.0,
        "problems": [], "exercises": empty, "language": None, "digest": None, "seconds_each": None, "answers": None,
    }  # fmt: skip


def _not_attempted(lesson: str) -> list[Record]:
    return [
        Result(e.id, e.title, "not_attempted", 0.0, float(e.points), bonus=e.bonus).record()
        for e in lessons.of_lesson(lesson)
    ]


def most(word: Override, assignment: Assignment | None) -> float | None:
    """The most points of what a person's word is about, None if the assignment has no such part."""
    if assignment is not None and (word.lesson not in assignment.lessons or word.exercise in assignment.leave_out):
        return None
    known = [e for e in lessons.of_lesson(word.lesson) if word.of_lesson or e.id == word.exercise]
    own = [e for e in known if not (assignment and e.id in assignment.leave_out)]
    return sum(float(e.points) if assignment is None else assignment.points_of(e.id, float(e.points)) for e in own)


def sentences(worth: Worth) -> list[Said | str]:
    """A person's words about a file, each with what it is about."""
    judged = {e["id"]: e for e in worth.row["exercises"]}
    found = []
    for word in worth.overrides:
        what = word.exercise if word.exercise in judged else said("lesson {lesson}", lesson=word.lesson)
        found.append(joined("{one}: {two}", [what, word.sentence]))
    return found


def about_time(worth: Worth, by_name: bool, costs: bool) -> list[Said]:
    """Sentences about lateness. by_name: whether the file's name says it is late. costs: whether that costs points."""
    if worth.days_late:
        days = said("1 day late") if worth.days_late == 1 else said("{days} days late", days=worth.days_late)
        taken = said("{days}, which costs {points}", days=days, points=counted(worth.taken, "point"))
        return [taken if worth.taken else days]
    if by_name and worth.days_late is None and costs:
        return [said("handed in late, as its name says; its time is not known, so nothing is taken off")]
    return [said("handed in late, as its name says")] if by_name else []
