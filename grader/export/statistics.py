"""What a class met: how frequent each mistake is, and which exercises were missed most."""

from __future__ import annotations

from collections import defaultdict

from . import words
from .entries import Entry


def mistakes(entries: list[Entry]) -> list[dict]:
    """Each mistake with the number of students who met it and of those who handed in its exercises; frequent first."""
    met, where, named = defaultdict(set), defaultdict(set), {}
    handed_in = defaultdict(set)
    for entry, exercise in _counting(entries):
        handed_in[exercise["id"]].add(entry.key)
        for mistake in words.mistakes(exercise)[:1]:
            named[mistake["id"]] = mistake
            met[mistake["id"]].add(entry.key)
            where[mistake["id"]].add(words.name(exercise))
    found = [
        {
            **mistake,
            "students": len(met[which]),
            "of": len(set().union(*(handed_in[name.split(" ")[0]] for name in where[which]))),
            "exercises": sorted(where[which]),
        }
        for which, mistake in named.items()
    ]
    return sorted(found, key=lambda m: (-m["students"], m["id"]))


def missed(entries: list[Entry]) -> list[dict]:
    """Each exercise that somebody did not pass, with the students who did, who did not, and who did not try."""
    count: dict[str, dict] = {}
    for _, exercise in _counting(entries):
        row = count.setdefault(
            words.name(exercise), {"name": words.name(exercise), "of": 0, "passed": 0, "wrong": 0, "not_attempted": 0}
        )
        row["of"] += 1
        row[exercise["status"] if exercise["status"] in row else "wrong"] += 1
    found = [row for row in count.values() if row["passed"] < row["of"]]
    return sorted(found, key=lambda r: (r["passed"] / r["of"], -r["of"]))


def _counting(entries: list[Entry]):
    return ((entry, exercise) for entry in entries if entry.counts for exercise in entry.row["exercises"])
