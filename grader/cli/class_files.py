"""What `grade` and `race` have in common: which files of a class there are, and which of them count."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
from collections.abc import Callable
from datetime import timedelta

from ..language import say
from ..sentence import Said, joined, said


def add(parser) -> None:
    """Add the options that say which files there are, what counts, and where results go."""
    parser.add_argument(
        "paths", nargs="+", type=pathlib.Path, metavar="PATH", help=said("a notebook, a folder, or a zip")
    )
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path("results"), help=said("where results.jsonl goes")
    )
    parser.add_argument(
        "--jobs", type=positive(int), default=_cores(),
        help=said("files graded side by side; each takes about 1 GB of memory"),
    )  # fmt: skip
    parser.add_argument(
        "--timeout", type=positive(float), default=20.0, metavar="S",
        help=said("seconds an exercise may take; a file may take three times as long"),
    )  # fmt: skip
    parser.add_argument(
        "--secret", type=pathlib.Path, metavar="FILE",
        help=said("what the inputs of the cases are derived from; without it a secret is made in --out and kept "
            "there"),
    )  # fmt: skip
    parser.add_argument(
        "--one-student", action="store_true", help=said("each PATH is one student's, whatever lies in it")
    )  # fmt: skip
    parser.add_argument("--yes", action="store_true", help=said("grade although the plan looks wrong"))
    parser.add_argument(
        "--assignment", type=pathlib.Path, metavar="FILE",
        help=said("what counts, an assignment.toml: lessons, points, due dates, roster; exports follow it, too"),
    )  # fmt: skip


def tell_damaged(row_file, aside: Said) -> None:
    """Print what was damaged in a file of rows. aside: what becomes of such a line."""
    for damaged in row_file.contents.damaged:
        where = joined("{one}: {two}", [str(row_file.path), damaged.sentence])
        print(say(said("{where}. {aside}", where=where, aside=aside)), file=sys.stderr)


def planned(options, found, grader, given, every_attempt: bool = False):
    """The plan of this run, which is printed."""
    from ..classroom import grading, plan
    from ..classroom.roster import Roster

    def contents(files):
        return grading.contents_of(files, grader, given.lessons if given else None)

    made = plan.make(
        found, contents, given.roster if given else Roster(), plan.students_of(options.out), every_attempt,
        best=given is not None and given.attempt == "best", asked=given.lessons if given else None,
    )  # fmt: skip
    for depth, sentence in plan.lines(made):
        print("  " * depth + str(plain(say(sentence))))
    return made


def stands(made, yes: bool = False) -> int:
    """0 if a plan may be carried out, else 4, and what to do about it is printed."""
    if not made.doubts or yes:
        return 0
    return stop(4, said("Nothing graded: the plan looks wrong, as said above. To grade it as it is, add --yes."))


def show_progress(done, total: int, doing: str, progress: Callable[..., Said]) -> None:
    """Show the number of files that are done and the remaining time: a bar in a terminal, lines elsewhere.

    done: (name, whether the file kept its row) of each file. doing: a word for the bar. progress: the sentence of a
    line, from `completed`, `total` and `left`.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, speed_estimate_period=600) as bar:
        bar.add_task(doing, total=total)
        (task,) = bar.tasks
        step = max(total // 20, 10)
        for _, kept in done:
            if kept:  # such a file takes no time, so it is left out of the estimate
                bar.update(task.id, total=task.total - 1)
                continue
            bar.advance(task.id)
            if not console.is_terminal and task.completed % step == 0:
                left = ""
                if task.time_remaining:
                    left = said(", about {timedelta} left", timedelta=timedelta(seconds=task.time_remaining))
                values = {"completed": f"{task.completed:.0f}", "total": f"{task.total:.0f}", "left": left}
                print(say(progress(**values)), file=sys.stderr, flush=True)


def plain(text: str):
    """Text from a submission without markup, control characters or direction characters."""
    from rich.text import Text

    from ..classroom.sanitize import plain

    return Text(plain(text))


def stop(status: int, sentence: str) -> int:
    """Print why a command stops, and return its exit status."""
    print(say(sentence), file=sys.stderr)
    return status


def not_written(out: pathlib.Path, error: OSError) -> int:
    """As `stop`, where rows cannot be kept in the folder `out`."""
    sentence = said(
        "The results cannot be written to {out}: {why}. The rows that are there stay, and "
        "the same command goes on from them.",
        out=repr(str(out)),
        why=error.strerror or error,
    )
    return stop(2, sentence)


def interrupted(out: pathlib.Path) -> int:
    """As `stop`, after Ctrl-C."""
    return stop(
        130, said("Stopped. What is done is in {out}; the same command goes on from there.", out=repr(str(out)))
    )


def positive(kind):
    """An argparse type: a number of this kind above 0."""

    def convert(text: str):
        number = kind(text)
        if not number > 0:
            raise argparse.ArgumentTypeError(said("{text} is not above 0", text=text))
        return number

    return convert


def _cores() -> int:
    """The cores that this process may use. In a container or a batch job they are fewer than those of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
