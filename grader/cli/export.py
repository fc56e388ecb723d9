"""python -m grader export: results for a spreadsheet, a learning platform, a CI system, or a reader."""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..language import say
from ..sentence import Said, message, said

if TYPE_CHECKING:
    from ..classroom.row_file import DamagedLine

_ONE_BY_ONE = 3  # damaged lines with one fault, each of which gets a sentence

FORMATS = (
    "csv", "canvas", "canvas-comments", "moodle", "moodle-feedback", "gradescope", "github", "junit", "html", "mail",
    "likeness",
)  # fmt: skip


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser(
        "export", help=said("results for Canvas, Gradescope, CI, a spreadsheet, or to be read")
    )
    parser.add_argument("results", type=pathlib.Path, metavar="DIR", help=said("the folder that grade wrote to"))
    parser.add_argument("--format", choices=FORMATS, required=True)
    parser.add_argument("--to", type=pathlib.Path, metavar="PATH", help=said("where it goes; into DIR when left out"))
    parser.add_argument(
        "--assignment", type=pathlib.Path, metavar="FILE",
        help=said("what counts, an assignment.toml; when left out, that of the last grading into DIR"),
    )  # fmt: skip
    parser.add_argument("--lessons", metavar="04,05", help=said("the lessons that count, in place of --assignment"))
    parser.add_argument(
        "--overrides", type=pathlib.Path, metavar="FILE",
        help=said("points that a person gave; when left out, overrides.csv in DIR, if it is there"),
    )  # fmt: skip
    canvas = parser.add_argument_group("canvas, moodle")
    canvas.add_argument(
        "--gradebook", type=pathlib.Path, metavar="FILE",
        help=said("the gradebook exported from Canvas, or the grading worksheet of Moodle"),
    )  # fmt: skip
    canvas.add_argument(
        "--column", type=_column, action="append", default=[], metavar="04=NAME", help=said("the column of a lesson")
    )
    parser.set_defaults(run=run)


def run(options) -> int:
    """Write one format.

    Exit status 0: it is written; 1: it is written, without damaged rows or without a line of the overrides; 2: there
    are no results, or a file cannot be read or written.
    """
    from ..classroom import assignment, overrides, race_rows, results_store
    from ..classroom.sanitize import plain
    from ..export import entries
    from ..export.gradebook import NotAGradebook, NothingFits

    file = options.results / results_store.RESULTS
    try:
        results, races = results_store.rows_of(file), race_rows.rows_of(options.results)
    except OSError as error:
        values = {"file": repr(str(file)), "value": error.strerror or error}
        return _refused(said("{file} cannot be read: {value}. Name the folder that grade wrote to", **values))
    for sentence in _damaged(file, results.damaged):
        print(say(sentence), file=sys.stderr)
    for damaged in races.damaged:
        print(
            say(
                said(
                    "{file}: {damaged}. It is left out until `python -m grader race` has repaired it.",
                    file=options.results / race_rows.FILE,
                    damaged=damaged.sentence,
                )
            ),
            file=sys.stderr,
        )
    without_effect: list[str] = []
    try:
        found = _entries(options, results.rows, races.rows, without_effect)
    except (assignment.NoAssignment, overrides.NoOverrides) as error:
        return _refused(message(error))
    if not found:
        return _refused(said("{file} holds no results: grade first, or name another folder", file=repr(str(file))))
    module = importlib.import_module(f"..export.{options.format.replace('-', '_')}", __package__)
    to = options.to or options.results / module.TO
    try:
        more = _more(options, to, found, races.rows)
        done = module.export(found, to, *more)
    except _Gradebook as error:
        return _refused(message(error))
    except NotAGradebook as error:
        return _refused(
            said("{gradebook} is no gradebook: {error}", gradebook=repr(str(options.gradebook)), error=error)
        )
    except NothingFits as error:
        return _refused(message(error))
    except ModuleNotFoundError as error:
        return _refused(said("this format needs {name}: pip install {name}", name=error.name))
    except OSError as error:
        return _refused(said("{to} cannot be written: {value}", to=repr(str(to)), value=error.strerror or error))
    print("\n".join(map(say, done)))
    for sentence in (*without_effect, *entries.about_the_class(found)):
        print(plain(say(sentence)), file=sys.stderr)
    return 1 if results.damaged or races.damaged or without_effect else 0


def _damaged(file: pathlib.Path, damaged: list[DamagedLine]) -> Iterator[Said]:
    """A sentence about each line that holds no row; about many that have one fault, as in a folder of another version
    of the course, one for all.
    """
    of_fault: dict[str, list[DamagedLine]] = {}
    for each in damaged:
        of_fault.setdefault(str(each.error), []).append(each)
    for each in damaged:
        alike = of_fault[str(each.error)]
        if len(alike) <= _ONE_BY_ONE:
            yield said(
                "{file}: {damaged}. It is left out until `python -m grader grade` has repaired it.",
                file=file,
                damaged=each.sentence,
            )
        elif each is alike[0]:
            yield said(
                "{file}: {count} lines are damaged, or of another version of the course: {error}. The first is line "
                "{number}. They are left out until `python -m grader grade` has repaired them; until then their "
                "students look as if they had handed in nothing.",
                file=file,
                count=len(alike),
                error=each.error,
                number=each.number,
            )


class _Gradebook(Exception):
    """No gradebook is named, or it cannot be filled."""


def _more(options, to: pathlib.Path, found: list, races: list) -> tuple:
    """What a format needs beside the entries. Raises _Gradebook."""
    from ..export import choices

    if options.format == "html":
        return (choices.read(options.results, found),)
    if options.format == "gradescope":
        return (races,)
    if options.format == "canvas":
        return _gradebook(options, to), dict(options.column)
    return (_gradebook(options, to),) if options.format == "moodle" else ()


def _gradebook(options, to: pathlib.Path) -> bytes:
    """What a platform exported, to be filled. Raises _Gradebook."""
    if options.gradebook is None:
        raise _Gradebook(said("say what to fill: --gradebook FILE, as Canvas or Moodle exports it"))
    if options.gradebook.resolve() == to.resolve():
        raise _Gradebook(said("the gradebook itself is kept: write to another file"))
    try:
        return options.gradebook.read_bytes()
    except OSError as error:
        raise _Gradebook(
            said(
                "{gradebook} cannot be read: {value}",
                gradebook=repr(str(options.gradebook)),
                value=error.strerror or error,
            )
        ) from None


def _entries(options, rows, races: list, without_effect: list[str]) -> list:
    """The rows under the terms of their assignment, with a person's words.

    races: rows of files that raced. without_effect: gets a sentence for each word that has no effect, and for what has
    not raced. Raises NoAssignment or NoOverrides.
    """
    from ..classroom import assignment, overrides, plan, results_store
    from ..export import entries, race_points

    given = assignment.named(options.assignment, options.lessons) or assignment.kept(options.results)
    words, good = options.overrides or options.results / overrides.FILE, []
    if options.overrides or words.exists():
        good, bad = overrides.read(words)
        without_effect += bad
    if given and given.race:
        rows = race_points.applied(rows, given.race, races, without_effect)
    names, there = plan.names_of(options.results), frozenset(results_store.expected(options.results))
    return entries.of(rows, given, good, without_effect, names, there)


def _column(text: str) -> tuple[str, str]:
    lesson, equals, name = text.partition("=")
    if not (equals and name and lesson.isdecimal()):
        raise argparse.ArgumentTypeError(said("{text} is not of the form 04=NAME", text=repr(text)))
    return lesson.zfill(2), name


def _refused(why: str) -> int:
    print(say(said("Nothing exported: {why}.", why=why)), file=sys.stderr)
    return 2
