"""python -m grader run: the cells of a file, one after the other, with all that a notebook would show below them."""

from __future__ import annotations

import os
import pathlib
import sys

from .. import language
from ..language import say
from ..sentence import message, named, said


def add(commands) -> None:
    """Add this command to the parser."""
    parser = commands.add_parser("run", help=said("run the cells of a file, and show what a notebook would show"))
    parser.add_argument(
        "file",
        type=pathlib.Path,
        metavar="FILE",
        help=said("a lesson that start wrote, or a notebook"),
    )
    parser.set_defaults(run=run)


def run(options) -> int:
    """Run all cells, also those below one that fails: 0 when none failed, 1 when one did, 2 when there are none."""
    from . import work_file

    try:
        cells = work_file.read(options.file).read.in_file
    except OSError as error:
        return _nothing(said("{file} cannot be read ({why}).", file=options.file, why=error.strerror))
    except work_file.Unreadable as error:
        return _nothing(message(error))
    shell, failed = _shell(), False
    for cell in cells:
        line = named(cell.called, "line")
        print("\n" + (f"{options.file}:{line}" if line else say(cell.called)), flush=True)
        text = language.without_name(cell.text) if options.lang else cell.text
        ran = shell.run_cell(text, store_history=True)
        error = ran.error_before_exec or ran.error_in_exec
        failed = failed or error is not None
        _show_charts()
        if isinstance(error, KeyboardInterrupt):
            break
    return 1 if failed else 0


def _shell():
    """An IPython shell in this process, in which grader is at home as in a notebook."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    from ..notebook.start import start

    os.environ.setdefault("MPLBACKEND", "agg")  # charts are shown in words
    config = Config()
    config.HistoryManager.enabled = False  # nothing of the course goes into the learner's own history
    config.InteractiveShell.colors = "NoColor"
    shell = InteractiveShell.instance(config=config)
    start()
    return shell


def _show_charts() -> None:
    """Describe the charts that a cell has made, as a notebook draws them below it."""
    from ..notebook import alt_text

    plots = sys.modules.get("matplotlib.pyplot")
    for number in plots.get_fignums() if plots else ():
        print(say(alt_text.words(plots.figure(number))), flush=True)
        plots.close(number)


def _nothing(why: str) -> int:
    print(say(said("Nothing ran: {why}", why=why)), file=sys.stderr)
    return 2
