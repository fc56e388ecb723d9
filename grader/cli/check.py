"""python -m grader check: the check of a notebook, for a file in any editor, once or whenever it is saved."""

from __future__ import annotations

import os
import pathlib
import sys
import time

from ..language import say
from ..sentence import message, said
from .saved import Saved

_EVERY = 0.1  # seconds between two looks at a file that is watched


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("check", help=said("check the exercises of a file, in any editor"))
    parser.add_argument(
        "file",
        type=pathlib.Path,
        metavar="FILE",
        help=said("a lesson that start wrote, or a notebook"),
    )
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help=said("exercises such as 5.1; without them, all of the lesson"),
    )
    parser.add_argument(
        "--hint", action="store_true", help=said("show one more hint of the first exercise that does not pass")
    )
    parser.add_argument(
        "--watch", action="store_true", help=said("check what changed, each time the file is saved; Ctrl-C ends it")
    )
    parser.set_defaults(run=run)


def run(options) -> int:
    """Print verdicts: 0 when all that was asked passed, 1 when not, 2 when there is nothing to check."""
    try:
        return _run(options)
    except KeyboardInterrupt:  # before the first verdict
        print()
        return 1


def _run(options) -> int:
    from .. import lessons
    from ..judge import zygotes
    from ..notebook.api import no_exercise
    from . import work_file
    from .verdicts import Verdicts

    unknown = [number for number in options.ids if number not in lessons.exercises()]
    if unknown:
        return _nothing(no_exercise(unknown[0]))
    saved = Saved(options.file)  # before it is read: it may be saved while it is checked for the first time
    try:
        options.file.open("rb").close()
        zygotes.warm("interpreted", "compiled")  # while this process reads the file and loads PyTorch
        file = work_file.read(options.file)
    except OSError as error:
        why = said("{file} cannot be read ({why}).", file=options.file, why=error.strerror)
        return _nothing(_lesson_meant(options) or why)
    except work_file.Unreadable as error:
        return _nothing(message(error))
    if not options.ids and file.read.lesson is None:
        return _nothing(
            said("{file} answers no lesson: python -m grader start 00 writes one to work in.", file=options.file)
        )
    verdicts = Verdicts(options.ids, options.hint)
    try:
        verdicts.show(file)
        if options.watch:
            _watch(saved, verdicts)
    except KeyboardInterrupt:
        print()
    return 0 if verdicts.all_passed() else 1


def _watch(saved: Saved, verdicts) -> None:
    """Show verdicts on what changes in a file, until an interrupt comes."""
    verdicts.tell(said("Watching {file}: save it, and what changed is checked. Ctrl-C ends this.", file=saved.path))
    while True:
        step(saved, verdicts)
        time.sleep(_EVERY)


def step(saved: Saved, verdicts) -> None:
    """One look at a file that is watched: where it was saved, show the verdicts on what changed in it."""
    from . import work_file

    if not saved.look():
        return
    try:
        file = work_file.read(saved.path)
        if file.read.cells:
            verdicts.show(file)
    except OSError:
        pass  # an editor is replacing it: the next look finds it
    except work_file.Unreadable as error:
        verdicts.tell(message(error))


def _lesson_meant(options) -> str | None:
    """The sentence for the number of a lesson or of an exercise in place of a file; None for anything else."""
    from .. import environment, lessons
    from .start import work_file_of

    asked = str(options.file)
    number = lessons.number_of(asked)
    if environment.INSTALLED or not (number in lessons.OUTLINE and (asked in lessons.exercises() or asked.isdecimal())):
        return None
    file = work_file_of(number)
    if not file.exists():
        return said("{asked} is no file. python -m grader start {lesson} writes one.", asked=asked, lesson=number)
    ids = [*([asked] if asked in lessons.exercises() else []), *options.ids]
    command = " ".join(["python -m grader check", os.path.relpath(file), *ids])
    return said(
        "{asked} is no file. Your lesson {lesson} is checked by: {command}", asked=asked, lesson=number, command=command
    )


def _nothing(why: str) -> int:
    print(say(said("Nothing checked: {why}", why=why)), file=sys.stderr)
    return 2
