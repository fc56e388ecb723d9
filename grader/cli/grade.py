"""python -m grader grade: a row for each notebook, and a table."""

from __future__ import annotations

import argparse
import hashlib
import pathlib
import sys

from ..isolation import LEVELS, in_words
from ..language import say
from ..sentence import Said, counted, joined, listed, said
from ..spec import sign_of
from . import class_files


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("grade", help=said("grade notebooks"))
    class_files.add(parser)
    parser.add_argument("--dask", metavar="ADDRESS", help=said("grade on the Dask cluster whose scheduler is there"))
    parser.add_argument("--shard", type=_shard, metavar="I/N", help=said("grade the I-th of N parts; merge joins them"))
    parser.add_argument(
        "--require-isolation", choices=LEVELS[1:], default=LEVELS[0], metavar="LEVEL",
        help=said("grade nothing where answers are kept apart less than this: {list}", list=listed(LEVELS[1:])),
    )  # fmt: skip
    parser.add_argument(
        "--every-attempt", action="store_true", help=said("grade a student's earlier files for a lesson as well")
    )  # fmt: skip
    parser.add_argument(
        "--plan", action="store_true", help=said("say which file of whom counts and why, and grade nothing")
    )  # fmt: skip
    parser.add_argument("--lessons", metavar="04,05", help=said("the lessons that count, in place of --assignment"))
    parser.add_argument(
        "--regrade", type=pathlib.Path, metavar="FILE",
        help=said("grade again, and nothing else, what a CSV file with columns student and exercise asks for"),
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(options) -> int:
    """Grade the named files.

    Exit status 0: every file has a row and was judged; 1: a file could not be judged in full, or a regrade request has
    no effect; 2: there is nothing to grade, or the results cannot be written; 3: the level of isolation is too low; 4:
    the plan looks wrong, and --yes was not given; 130: stopped by Ctrl-C.
    """
    from ..classroom import assignment, executors, grading, plan, regrade, results_store, seeds, submissions

    try:
        given = assignment.named(options.assignment, options.lessons)
        requests = regrade.read(options.regrade) if options.regrade else None
        found = submissions.find_all(
            options.paths, options.out, options.one_student, given.roster.names if given else ()
        )
        found.files = grading.distinct(found.files)
        if options.plan:
            with _executor(options, len(found.files)) as grader:
                planned = class_files.planned(options, found, grader, given, options.every_attempt)
            return class_files.stands(planned)
        with results_store.Results(options.out) as results:
            class_files.tell_damaged(results, set_aside())
            secret = seeds.secret(options.secret) if options.secret else seeds.own_secret(options.out)
            with _executor(options, len(found.files)) as grader:
                planned = class_files.planned(options, found, grader, given, options.every_attempt)
                if status := class_files.stands(planned, options.yes):
                    return status
                if given:  # a run that stopped leaves the exports as they were
                    assignment.keep(given, options.out)
                plan.store(planned, options.out)
                results.expect([file.name for file in planned.files])
                part = [f for f in planned.files if options.shard is None or _in_shard(f.name, *options.shard)]
                if requests:
                    requests.find(part, results.contents.rows(), given.roster if given else None)
                    part = [file for file in part if file.name in requests.files]
                limits = options.timeout, options.require_isolation
                again = {n for n in requests.files if planned.standings[n].judged} if requests else ()
                asked = given.lessons if given else None
                done = grading.grade_all(part, results, grader, secret, *limits, planned.standings, asked, again)
                class_files.show_progress(done, len(part), "grading", graded)
            unjudged = _report(options.out, {file.name for file in part})
            unmet = _answer(options.out, requests) if requests else 0
    except (assignment.NoAssignment, regrade.NoRequests) as error:
        return class_files.stop(2, said("Nothing graded: {error}.", error=error))
    except (submissions.NothingToGrade, seeds.NoSecret, results_store.Busy) as error:
        return class_files.stop(2, said("Nothing graded: {error}.", error=error))
    except OSError as error:
        return class_files.not_written(options.out, error)
    except grading.BelowLevel as error:
        return class_files.stop(
            3, said("Grading stopped: {error}. `python -m grader doctor` says what is missing.", error=error)
        )
    except (grading.NotGraded, executors.Unreachable) as error:
        return class_files.stop(2, said("Grading stopped: {error}.", error=error))
    except KeyboardInterrupt:
        return class_files.interrupted(options.out)
    return 1 if unjudged or unmet else 0


def set_aside() -> Said:
    """The sentence about a damaged line."""
    from ..classroom import results_store

    return said("It is set aside in {DAMAGED}, and its file is graded again.", DAMAGED=results_store.DAMAGED)


def graded(completed: str, total: str, left: str) -> Said:
    """The line about how far grading is."""
    return said("graded {completed} of {total}{left}", completed=completed, total=total, left=left)


def _answer(out: pathlib.Path, requests) -> int:
    """Print what became of each regrade request. Returns the number of those without effect."""
    from ..classroom import results_store

    for sentence in requests.answers(results_store.read(out / results_store.RESULTS).rows()):
        print(class_files.plain(say(sentence)))
    for sentence in requests.unmet:
        print(class_files.plain(say(sentence)), file=sys.stderr)
    return len(requests.unmet)


def _executor(options, files: int):
    """The executor that reads and grades files."""
    from ..classroom import executors, grading

    if options.dask:
        return executors.dask_cluster(options.dask)
    return executors.local(min(options.jobs, files) or 1, grading.process_timeout(options.timeout))


def _report(out: pathlib.Path, names: set[str]) -> int:
    """Print a table of the rows with these names, and the number of files that the grader could not judge.

    Returns this number.
    """
    from rich.console import Console
    from rich.table import Table

    from ..classroom import results_store, rows

    lines, failed, given_up, levels, shown = [], 0, 0, set(), set()
    for row in results_store.read(out / results_store.RESULTS).rows():
        if row["submission"] not in names:
            continue
        marks = "  ".join(f"{e['id']} {_mark(e)}" for e in row["exercises"])
        score = f"{row['score']:g}/{row['max_score']:g}"
        notes = (
            [said("not graded: {instead} counts for the lesson", instead=row["instead"])]
            if row["instead"] and not row["exercises"]
            else row["problems"]
        )
        lines.append((row["submission"], row["lesson"] or "-", score, marks, say(joined("{one}; {two}", notes))))
        failed += rows.failed(row)
        given_up += rows.for_a_person(row) and not rows.failed(row)
        shown.add(row["submission"])
        if row["exercises"] or not row["instead"]:
            levels.add(row["isolation"])
    heads = said("submission"), said("lesson"), said("score"), said("exercises"), said("problems")
    table = Table(*map(say, heads), title=say(said("isolation: {in_words}", in_words=in_words(levels))))
    for line in sorted(lines):
        table.add_row(*map(class_files.plain, line))
    Console().print(table)
    print(
        say(
            said(
                "{count} of {files} with a row in {value}",
                count=len(shown),
                files=counted(len(names), "file"),
                value=out / results_store.RESULTS,
            )
        )
    )
    if failed:
        again = said(
            "{failed} of them could not be judged in full, through no fault of the answers: the "
            "rows say what was missing. The same command tries again.",
            failed=failed,
        )
        print(say(again), file=sys.stderr)
    if given_up:
        person = said(
            "{given_up} of them could not be judged, and a person has to look: the rows say why.", given_up=given_up
        )
        print(say(person), file=sys.stderr)
    return failed + given_up


def _mark(exercise: dict) -> str:
    return sign_of(exercise["status"]) + (f" {exercise['mistake']}" if exercise["mistake"] else "")


def _shard(text: str) -> tuple[int, int]:
    """(part, parts) of a text such as 1/4."""
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 0 <= int(part) <= int(parts) != 0):
        raise argparse.ArgumentTypeError(said("{text} is no part such as 1/4", text=repr(text)))
    return int(part), int(parts)


def _in_shard(name: str, part: int, parts: int) -> bool:
    """Whether a part contains a submission. The name alone decides, so that other files do not move it.

    Parts can be counted from 1 to N or from 0 to N - 1: part N and part 0 are the same.
    """
    digest = hashlib.sha256(name.encode(errors="surrogateescape")).digest()
    return int.from_bytes(digest[:8], "big") % parts == part % parts
