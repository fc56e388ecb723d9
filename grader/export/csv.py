"""CSV: one line a file, one column an exercise."""

from __future__ import annotations

import csv
import io
import pathlib
import unicodedata

from . import words
from .entries import Entry, odd, write

TO = "results.csv"
# What makes a spreadsheet compute a cell, if it comes first.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def text(value: str) -> str:
    """A cell that a spreadsheet shows and does not compute. Full-width signs count as signs there, too."""
    first = unicodedata.normalize("NFKC", value).lstrip(" ")[:1]
    return f"'{value}" if first in _FORMULA else value


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file; returns what to say about it. Raises OSError."""
    ids = {e["id"] for entry in entries for e in entry.row["exercises"]}
    exercises = sorted(ids, key=lambda i: [int(n) if n.isdecimal() else 0 for n in i.split(".")])
    out = io.StringIO()
    table = csv.writer(out)  # its line ends are CRLF, as RFC 4180 has them
    known = ["student", "lesson", "submission", "counts", "score", "max_score"]
    table.writerow([*known, "mistakes", "notes", "isolation", *exercises])
    for entry in entries:
        row, scores = entry.row, {e["id"]: e["score"] for e in entry.row["exercises"]}
        named = [f"{e['id']} {m['id']}" for e in row["exercises"] for m in words.mistakes(e)[:1]]
        said = [entry.student, row["lesson"] or "", row["submission"], "yes" if entry.counts else "no"]
        rest = ["; ".join(named), "; ".join(odd(entry)), str(row["isolation"])]
        points = [scores.get(i, "") for i in exercises]
        table.writerow([*map(text, said), row["score"], row["max_score"], *map(text, rest), *points])
    write(to, out.getvalue())
    return [f"{len(entries)} files in {to}"]
