"""python -m grader COMMAND."""

from __future__ import annotations

import argparse
import io
import os
import sys

from . import language
from .cli import audit, bench, check, doctor, explain, export, grade, listing, merge, new, race, recall, run, start
from .sentence import listed, said

_INTERRUPTED = 130  # as shells have it


class _Help(argparse.HelpFormatter):
    """Help in the language in use."""

    def _get_help_string(self, action):
        return language.say(action.help)


class _Parser(argparse.ArgumentParser):
    def __init__(self, *args, formatter_class=_Help, **more):
        super().__init__(*args, formatter_class=formatter_class, **more)


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Exit status 0 when it did what it says, 2 for a usage error, 130 after an interrupt."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no ✓ shows a question mark
    chosen = argparse.ArgumentParser(prog="python -m grader", add_help=False)
    chosen.add_argument("--lang")
    try:
        language.use(chosen.parse_known_args(arguments)[0].lang)  # before the help, which is said in it, too
    except language.Unknown as error:
        chosen.error(str(error))
    parser = _Parser(prog="python -m grader", description=language.say(said("The judge of Five Passes to One.")))
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (start, check, recall, run, audit, grade, merge, race, export, listing, doctor, bench, explain, new):
        command.add(commands)
    known = said("the language of all that is said: {list}", list=listed([*language.languages()]))
    for each in commands.choices.values():
        each.add_argument("--lang", metavar="CODE", help=known)
    options, left = parser.parse_known_args(arguments)
    # argparse ends a list at the first option behind it, as in `check FILE --hint 5.1`.
    if left and (not hasattr(options, "ids") or any(each.startswith("-") for each in left)):
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    if left:
        options.ids += left
    try:
        return options.run(options)
    except KeyboardInterrupt:  # of a command that has nothing to say about it
        print(file=sys.stderr)
        return _INTERRUPTED


class _Output(io.FileIO):
    """The standard output of a process. Once nobody reads it, as behind `| head`, the rest goes nowhere.

    So a command ends as ever: what it grades is not lost because a reader of its lines went away.
    """

    def write(self, data) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(data)


def _open_output() -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        raw = _Output(sys.stdout.fileno(), "w", closefd=False)
        encoding, by_lines = sys.stdout.encoding, sys.stdout.line_buffering
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding, line_buffering=by_lines)


if __name__ == "__main__":
    _open_output()
    raise SystemExit(main())
