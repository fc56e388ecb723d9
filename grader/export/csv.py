"""CSV: a line for each file, a column for each exercise."""

from __future__ import annotations

import csv
import io
import pathlib
import unicodedata

from ..judge import render
from .entries import Entry, remarks, write

TO = "results.csv"
# First characters that make a spreadsheet compute a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def text(value: str) -> str:
    """The text of a cell that a spreadsheet does not compute. A full-width sign counts as that sign."""
    first = unicodedata.normalize("NFKC", value).lstrip(" ")[:1]
    return f"'{value}" if first in _FORMULA else value


def export(entries: list[Entry], to: pathlib.Path) -> list[str]:
    """Write the file. Returns sentences about the result. Raises OSError."""
    ids = {e["id"] for entry in entries for e in entry.row["exercises"]}
    exercises = sorted(ids, key=lambda i: [int(n) if n.isdecimal() else 0 for n in i.split(".")])
    out = io.StringIO()
    table = csv.writer(out)  # line ends are CRLF, as in RFC 4180
    known = ["student", "lesson", "submission", "counts", "score", "max_score"]
    table.writerow([*known, "mistakes", "notes", "isolation", *exercises])
    for entry in entries:
        row, scores = entry.row, {e["id"]: e["score"] for e in entry.row["exercises"]}
        named = [f"{e['id']} {m['id']}" for e in row["exercises"] for m in render.mistakes(e)[:1]]
        cells = [entry.student, row["lesson"] or "", row["submission"], "yes" if entry.counts else "no"]
        rest = ["; ".join(named), "; ".join(remarks(entry)), row["isolation"]]
        points = [scores.get(i, "") for i in exercises]
        table.writerow([*map(text, cells), row["score"], row["max_score"], *map(text, rest), *points])
    write(to, out.getvalue())
    return [f"{len(entries)} files in {to}"]
