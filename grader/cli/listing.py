"""python -m grader list: the exercises and their points."""

from __future__ import annotations

import json


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("list", help="list the exercises")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print a line for each exercise, or all exercises as JSON."""
    from .. import lessons

    exercises = lessons.exercises().values()
    if options.json:
        rows = [{"id": e.id, "title": e.title, "names": e.names, "points": e.points} for e in exercises]
        print(json.dumps(rows, indent=1))
    else:
        for e in exercises:
            print(f"{e.id:<5} {e.points:>3g} points  {', '.join(e.names)}")
    return 0
