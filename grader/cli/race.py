"""python -m grader race: a class races on the GPU of this machine, and gets a ranking."""

from __future__ import annotations

import argparse
import re
import sys

from ..isolation import LEVELS
from ..language import say
from ..sentence import Said, message, said
from . import class_files, grade

_AND_MORE = 30.0  # seconds that the process of a race has beyond the time of two races


class _NoRace(Exception):
    """Nothing can race. The message is a sentence."""


class _DoesNotRace(Exception):
    """The exercise has no race. The message is a sentence with its full stop."""


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("race", help=said("time the right answers of a class on this machine's GPU"))
    class_files.add(parser)
    parser.add_argument("--exercise", required=True, metavar="5.2", help=said("the exercise that is raced"))
    parser.add_argument(
        "--shapes", type=_shapes, metavar="4096x1000,…",
        help=said("the sizes of the inputs; without it those of the exercise, and some that are drawn from the secret"),
    )  # fmt: skip
    parser.add_argument(
        "--pseudonyms", action="store_true",
        help=said("the page has names that are drawn from the secret, in place of those of students"),
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options) -> int:
    """Grade what has no row, race what passed, and write the ranking as a page and as CSV.

    Exit status 0: every answer that passed its check raced; 1: the machine failed on a file, or one was given up; 2:
    nothing can race, such as where there is no GPU; 4: the plan looks wrong, and --yes was not given; 130: stopped by
    Ctrl-C.
    """
    from .. import lessons
    from ..classroom import assignment, executors, grading, results_store, seeds, submissions
    from ..racing import race as racing

    try:
        exercise = _exercise(options.exercise)
        if (why := racing.cannot_race_here(exercise.id)) is not None:
            return class_files.stop(2, why)
        lesson = lessons.number_of(exercise.id)
        given = assignment.named(options.assignment, None)
        if given and lesson not in given.lessons:
            raise _NoRace(said("lesson {lesson} is no part of the assignment", lesson=lesson))
        kept = None if given else assignment.kept(options.out)  # the folder may have been graded for several
        given = given or (kept if kept and lesson in kept.lessons else None)
        found = submissions.find_all(
            options.paths, options.out, options.one_student, given.roster.names if given else ()
        )
        found.files = grading.distinct(found.files)
        with results_store.Results(options.out) as results:
            class_files.tell_damaged(results, grade.set_aside())
            secret = seeds.secret(options.secret) if options.secret else seeds.own_secret(options.out)
            shapes = _checked_shapes(options.shapes, racing.shapes(exercise.id, secret))
            with executors.local(
                min(options.jobs, len(found.files)), grading.process_timeout(options.timeout)
            ) as grader:
                planned = class_files.planned(options, found, grader, given)
                if status := class_files.stands(planned, options.yes):
                    return status
                part = [f for f in planned.files if planned.standings[f.name].lesson in (lesson, None)]
                limits = options.timeout, LEVELS[0]
                done = grading.grade_all(part, results, grader, secret, *limits, planned.standings, (lesson,))
                class_files.show_progress(done, len(part), "grading", grade.graded)
        return _race(options, exercise, lesson, given, part, secret, shapes)
    except _DoesNotRace as error:
        return class_files.stop(2, message(error))
    except (_NoRace, assignment.NoAssignment, submissions.NothingToGrade, seeds.NoSecret, results_store.Busy) as error:
        return class_files.stop(2, said("Nothing raced: {error}.", error=error))
    except OSError as error:
        return class_files.not_written(options.out, error)
    except (grading.NotGraded, executors.Unreachable) as error:
        return class_files.stop(2, said("The race stopped: {error}.", error=error))
    except KeyboardInterrupt:
        return class_files.interrupted(options.out)


def _race(options, exercise, lesson: str, given, part: list, secret: bytes, shapes: tuple) -> int:
    """Race the files that count and passed, and write the ranking. Returns the exit status."""
    from ..classroom import executors, race_all, race_rows, results_store, seeds
    from ..export import entries, race_csv, race_page, ranking
    from ..racing import race as racing
    from ..spec import Card

    card, longest = Card(racing.card_name()), 2 * racing.SECONDS + _AND_MORE
    here = {file.name: file for file in part}
    rows = [r for r in results_store.read(options.out / results_store.RESULTS).rows() if r["submission"] in here]
    names = {file.student: file.owner.names for file in part if file.owner}
    found = [entry for entry in entries.of(rows, given, names=names) if entry.row["lesson"] in (lesson, None)]
    racers = [here[entry.row["submission"]] for entry in found if _passed(entry, exercise.id)]
    with race_rows.Races(options.out) as races:
        aside = said("It is set aside in {DAMAGED}, and its file races again.", DAMAGED=race_rows.DAMAGED)
        class_files.tell_damaged(races, aside)
        with executors.local(1, longest) as racer:
            done = race_all.race_all(racers, races, racer, secret, exercise, card.name, shapes, longest)
            class_files.show_progress(done, len(racers), "racing", raced)
    names = {entry.key: seeds.pseudonym(secret, entry.key) for entry in found}
    shown = names if options.pseudonyms else {entry.key: entry.student for entry in found}
    key = exercise.id, card.name, shapes, seeds.name(secret)
    mine = [
        row
        for row in race_rows.read(options.out).rows()
        if (row["exercise"], row["card"], row["shapes"], row["seed"]) == key
    ]
    outcome = ranking.of(found, mine, shown, exercise, card, shapes)
    page, table = (options.out / f"race_{exercise.id}.{kind}" for kind in ("html", "csv"))
    race_page.export(outcome, page, options.pseudonyms)
    race_csv.export(outcome, table, names)
    _show(outcome)
    print(say(said("The ranking is in {page}, its numbers are in {table}.", page=page, table=table)))
    unraced = [row for row in mine if race_rows.failed(row) or race_rows.given_up(row)]
    return 1 if unraced else 0


def raced(completed: str, total: str, left: str) -> Said:
    """The line about how far a race is."""
    return said("raced {completed} of {total}{left}", completed=completed, total=total, left=left)


def _passed(entry, exercise: str) -> bool:
    return entry.counts and any(e["id"] == exercise and e["status"] == "passed" for e in entry.row["exercises"])


def _show(outcome) -> None:
    """Print the ranking."""
    from rich.console import Console
    from rich.table import Table

    heads = said("rank"), said("name"), said("share of a copy"), said("noise")
    title = said("{exercise} on {card}", exercise=outcome.exercise.id, card=outcome.card.name)
    table = Table(*map(say, heads), title=say(title))
    for each in outcome.entrants:
        numbers = f"{each.share:.2f}", f"{each.noise:.0%}"
        table.add_row(f"{each.rank}{'=' * each.tied}", class_files.plain(each.name), *numbers)
    Console().print(table)
    for entry, why in outcome.without:
        print(class_files.plain(say(said("{name} has no rank: {why}", name=outcome.names[entry.key], why=why))))
    for note in outcome.card.notes:
        print(say(note), file=sys.stderr)


def _exercise(number: str):
    """The exercise of this number. Raises _NoRace or _DoesNotRace."""
    from .. import lessons
    from ..racing import race as racing

    if number not in lessons.exercises():
        raise _NoRace(said("the course has no exercise {exercise}", exercise=repr(number)))
    if number not in racing.exercises():
        raise _DoesNotRace(racing.does_not_race(number))
    return lessons.exercises()[number]


def _shapes(text: str) -> tuple:
    """The shapes in a text such as 4096x1000,1x1000000."""
    from ..spec import Shape

    found = []
    for part in filter(None, re.split(r"[,\s]+", text)):
        sizes = re.split(r"[x×*]", part.lower())
        if not all(re.fullmatch(r"[1-9][0-9]{0,9}", size) for size in sizes):
            raise argparse.ArgumentTypeError(said("{text} is no shape such as 4096x1000", text=repr(part)))
        found.append(Shape(tuple(map(int, sizes))))
    if not found:
        raise argparse.ArgumentTypeError(said("{text} is no shape such as 4096x1000", text=repr(text)))
    return tuple(dict.fromkeys(found))


def _checked_shapes(asked: tuple | None, own: tuple) -> tuple:
    """The shapes of a race: those that are asked for, else the exercise's own. Raises _NoRace."""
    if asked is None:
        return own
    if wrong := [shape for shape in asked if len(shape.sizes) != len(own[0].sizes)]:
        values = {"shape": str(wrong[0]), "example": str(own[0])}
        raise _NoRace(said("{shape} is no shape of this exercise; {example} is one", **values))
    return asked
