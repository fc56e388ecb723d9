"""Statistics of a class: the spread of points, the frequency of each mistake, the exercises with the fewest passes."""

from __future__ import annotations

import statistics
from collections import defaultdict
from dataclasses import dataclass

from ..judge import render
from .entries import Entry, exercise_order


@dataclass(frozen=True)
class Spread:
    """Points of a class. Half of the students are between `low` and `high`, the quartiles."""

    median: float
    low: float
    high: float
    least: float
    most: float


def spread(points: list[float]) -> Spread:
    """The spread of one number a student; 0 without any number."""
    points = points or [0.0]
    low, median, high = statistics.quantiles(points, n=4, method="inclusive") if len(points) > 1 else points * 3
    return Spread(median, low, high, min(points), max(points))


def mistakes(entries: list[Entry]) -> list[dict]:
    """Each mistake with its number of students and the number who submitted its exercises, the most frequent first.

    who: {key of a student: ids of the exercises in which it was made}.
    """
    met: dict[str, dict[str, list[str]]] = defaultdict(dict)
    where = defaultdict(set)
    handed_in = defaultdict(set)
    for entry, exercise in _counting(entries):
        handed_in[exercise["id"]].add(entry.key)
        if exercise["mistake"]:
            met[exercise["mistake"]].setdefault(entry.key, []).append(exercise["id"])
            where[exercise["mistake"]].add(render.name(exercise))
    found = [
        {
            **render.known(which),
            "students": len(who),
            "who": who,
            "of": len(set().union(*(handed_in[name.split(" ")[0]] for name in where[which]))),
            "exercises": sorted(where[which], key=lambda name: exercise_order(name.split(" ")[0])),
        }
        for which, who in met.items()
    ]
    return sorted(found, key=lambda m: (-m["students"], m["id"]))


def missed(entries: list[Entry]) -> list[dict]:
    """Each exercise that a student did not pass, with the numbers of passed, wrong and missing answers."""
    count: dict[str, dict] = {}
    for _, exercise in _counting(entries):
        row = count.setdefault(
            render.name(exercise), {"name": render.name(exercise), "of": 0, "passed": 0, "wrong": 0, "not_attempted": 0}
        )
        row["of"] += 1
        row[exercise["status"] if exercise["status"] in row else "wrong"] += 1
    found = [row for row in count.values() if row["passed"] < row["of"]]
    return sorted(found, key=lambda r: (r["passed"] / r["of"], -r["of"]))


def _counting(entries: list[Entry]):
    return ((entry, exercise) for entry in entries if entry.counts for exercise in entry.row["exercises"])
