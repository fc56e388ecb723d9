"""python -m grader list: the exercises and their points, or the mistakes."""

from __future__ import annotations

import json

from ..language import say


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("list", help="list the exercises")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--mistakes", action="store_true", help="the mistakes instead: id, sentence, exercises")
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print a line for each exercise or mistake, or all exercises as JSON."""
    from .. import lessons

    exercises = lessons.exercises().values()
    if options.mistakes:
        from ..mistakes.registry import MISTAKES

        for mistake in sorted(MISTAKES.values(), key=lambda mistake: mistake.id):
            of = {exercise for mutant in mistake.mutants for exercise in mutant.of.split()}
            where = [e.id for e in exercises if mistake.id in dict(e.mistakes) or e.id in of]
            print(say(f"{mistake.id}: {mistake.sentence} ({', '.join(where) or 'any exercise'})"))
    elif options.json:
        fields = ("id", "title", "names", "points", "bonus")
        rows = [{field: getattr(e, field) for field in fields} for e in exercises]
        print(json.dumps(rows, indent=1))
    else:
        for e in exercises:
            print(say(f"{e.id:<5} {e.points:>3g} points  {', '.join(e.names)}{'  (bonus)' if e.bonus else ''}"))
    return 0
