"""python -m grader export: results for a spreadsheet, a learning platform, a CI system, or a reader."""

from __future__ import annotations

import argparse
import importlib
import pathlib
import sys

from ..language import say
from ..sentence import said

FORMATS = (
    "csv", "canvas", "canvas-comments", "moodle", "moodle-feedback", "gradescope", "github", "junit", "html", "mail",
    "likeness",
)  # fmt: skip
_FILLED = ("canvas", "moodle")  # formats that are a gradebook of the platform, filled in


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser(
        "export", help=said("results for Canvas, Gradescope, CI, a spreadsheet, or to be read")
    )
    parser.add_argument("results", type=pathlib.Path, metavar="DIR", help=said("the folder that grade wrote to"))
    parser.add_argument("--format", choices=FORMATS, required=True)
    parser.add_argument("--to", type=pathlib.Path, metavar="PATH", help=said("where it goes; into DIR when left out"))
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

    Exit status 0: it is written; 1: it is written, without damaged rows; 2: there are no results, or a file cannot be
    read or written.
    """
    from ..classroom import results_store
    from ..export import choices, entries
    from ..export.gradebook import NotAGradebook

    file = options.results / results_store.RESULTS
    try:
        contents = results_store.read(file)
    except OSError as error:
        return _refused(said("{file} cannot be read: {value}", file=repr(str(file)), value=error.strerror or error))
    for damaged in contents.damaged:
        print(
            say(
                said(
                    "{file}: {damaged}. It is left out until `python -m grader grade` has repaired it.",
                    file=file,
                    damaged=damaged.sentence,
                )
            ),
            file=sys.stderr,
        )
    found = entries.of(contents.rows())
    if not found:
        return _refused(said("{file} holds no results", file=repr(str(file))))
    module = importlib.import_module(f"..export.{options.format.replace('-', '_')}", __package__)
    to, more = options.to or options.results / module.TO, ()
    if options.format == "html":
        more = (choices.read(options.results, found),)
    if options.format in _FILLED:
        if options.gradebook is None:
            return _refused(said("say what to fill: --gradebook FILE, as Canvas or Moodle exports it"))
        if options.gradebook.resolve() == to.resolve():
            return _refused(said("the gradebook itself is kept: write to another file"))
        try:
            more = (options.gradebook.read_bytes(),)
            more += (dict(options.column),) if options.format == "canvas" else ()
        except OSError as error:
            return _refused(
                said(
                    "{gradebook} cannot be read: {value}",
                    gradebook=repr(str(options.gradebook)),
                    value=error.strerror or error,
                )
            )
    try:
        done = module.export(found, to, *more)
    except NotAGradebook as error:
        return _refused(
            said("{gradebook} is no gradebook: {error}", gradebook=repr(str(options.gradebook)), error=error)
        )
    except ModuleNotFoundError as error:
        return _refused(said("this format needs {name}: pip install {name}", name=error.name))
    except OSError as error:
        return _refused(said("{to} cannot be written: {value}", to=repr(str(to)), value=error.strerror or error))
    print("\n".join(map(say, done)))
    return 1 if contents.damaged else 0


def _column(text: str) -> tuple[str, str]:
    lesson, equals, name = text.partition("=")
    if not (equals and name and lesson.isdecimal()):
        raise argparse.ArgumentTypeError(said("{text} is not of the form 04=NAME", text=repr(text)))
    return lesson.zfill(2), name


def _refused(why: str) -> int:
    print(say(said("Nothing exported: {why}.", why=why)), file=sys.stderr)
    return 2
