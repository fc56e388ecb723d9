"""python -m grader list: the exercises and their points, or the mistakes."""

from __future__ import annotations

import json

from ..language import say
from ..sentence import counted, joined, listed, said


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("list", help=said("list the exercises"))
    parser.add_argument("--json", action="store_true", help=said("as JSON"))
    parser.add_argument("--mistakes", action="store_true", help=said("the mistakes instead: id, sentence, exercises"))
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
            named = joined("{one}: {two}", [mistake.id, mistake.sentence])
            print(say(said("{one} ({two})", one=named, two=", ".join(where) or said("any exercise"))))
    elif options.json:
        fields = ("id", "title", "names", "points", "bonus")
        rows = [{field: getattr(e, field) for field in fields} for e in exercises]
        print(json.dumps(rows, indent=1))
    else:
        for e in exercises:
            points = f"{say(counted(e.points, 'point')):>10}"
            print(
                say(
                    said(
                        "{id} {points}  {list}  (bonus)",
                        id=f"{e.id:<5}",
                        points=points,
                        list=listed(e.names),
                    )
                    if e.bonus
                    else said(
                        "{id} {points}  {list}",
                        id=f"{e.id:<5}",
                        points=points,
                        list=listed(e.names),
                    )
                )
            )
    return 0
