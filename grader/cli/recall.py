"""python -m grader recall: a right answer of an earlier day, to write into another file."""

from __future__ import annotations

import sys

from ..language import say
from ..sentence import said


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("recall", help=said("print your last right answer to an exercise"))
    parser.add_argument("id", metavar="ID", help=said("an exercise such as 5.1"))
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print the answer: 0; 2 when none is kept."""
    from .. import lessons
    from ..notebook import api, right_answers

    exercise = lessons.exercises().get(options.id)
    answer = right_answers.kept().get(options.id)
    if exercise is None or answer is None:
        print(
            say(api.no_exercise(options.id) if exercise is None else api.nothing_to_recall(exercise)), file=sys.stderr
        )
        return 2
    print(answer.source)
    return 0
