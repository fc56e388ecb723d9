"""python -m grader grade: notebooks -> one row each, and a table."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("grade", help="grade notebooks")
    parser.add_argument("paths", nargs="+", type=pathlib.Path, metavar="PATH", help="a notebook, a folder, or a zip")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("results"), help="where results.jsonl goes")
    parser.add_argument("--jobs", type=_positive(int), default=os.cpu_count() or 1, help="files graded side by side")
    parser.add_argument(
        "--timeout", type=_positive(float), default=20.0, metavar="S", help="seconds an exercise may take"
    )
    parser.set_defaults(run=run)


def run(options) -> int:
    """Grade what was named: 0 when every file has a row, 2 when there is nothing to grade or to write to."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    from .. import classroom, submission

    console = Console()
    try:
        handed = submission.find_all(options.paths)
    except submission.NothingToGrade as error:
        print(f"Nothing graded: {error}.", file=sys.stderr)
        return 2
    try:
        done = classroom.run(handed, options.out, options.jobs, options.timeout)
        rows = list(track(done, "grading", total=len(handed), console=Console(stderr=True), transient=True))
    except OSError as error:
        print(f"The results cannot be written to {str(options.out)!r}: {error.strerror or error}.", file=sys.stderr)
        return 2
    table = Table("submission", "lesson", "score", "exercises", "problems", title=f"isolation: {classroom.ISOLATION}")
    for row in sorted(rows, key=lambda r: r["submission"]):
        marks = "  ".join(f"{e['id']} {_mark(e)}" for e in row["exercises"])
        cells = [row["submission"], row["lesson"] or "-", f"{row['score']:g}/{row['max_score']:g}", marks]
        table.add_row(*(_plain(c) for c in cells), _plain("; ".join(row["problems"])))
    console.print(table)
    print(f"{len(rows)} of {len(handed)} files have a row in {options.out / 'results.jsonl'}")
    return 0


def _mark(exercise: dict) -> str:
    marks = {"passed": "✓", "not_attempted": "·"}
    return marks.get(exercise["status"], "✗") + (f" {exercise['mistake']}" if exercise["mistake"] else "")


def _plain(text: str):
    """Text from a stranger as text: no markup, no control or direction characters."""
    from rich.text import Text

    from ..text import plain

    return Text(plain(text))


def _positive(kind):
    def convert(text: str):
        number = kind(text)
        if not number > 0:
            raise argparse.ArgumentTypeError(f"{text} is not above 0")
        return number

    return convert
