"""The history of a notebook: the code cells that it has run, in order. A script is one cell, which is running."""

from __future__ import annotations

import pathlib
import sys
from typing import NamedTuple

from .. import language
from ..sentence import said


class _Run(NamedTuple):
    """One run of a cell. cell: its id, None where the frontend gives none. called: what the notebook calls it."""

    cell: str | None
    text: str
    called: str


_executed: list[_Run] = []


def record(shell) -> None:
    """Keep the code of every cell that the notebook runs, starting with those that it has run already.

    shell: the IPython shell. Its own history is not enough: a program that runs notebooks can switch it off, as nbval
    does.
    """
    before = shell.history_manager.input_hist_raw[1:]
    for text in before:
        language.use_of(text)
    _executed.extend(_Run(None, text, said("In [{count}]", count=count)) for count, text in enumerate(before, 1))
    parent = getattr(shell, "get_parent", dict)()
    running = parent.get("content", {}).get("code")
    if running and running not in before[-1:]:
        _remember(shell, parent.get("metadata", {}).get("cellId"), running)
    shell.events.register("pre_run_cell", lambda info: _remember(shell, getattr(info, "cell_id", None), info.raw_cell))


def _remember(shell, cell: str | None, text: str) -> None:
    # IPython counts up before this event or after it, depending on its version; it keeps the cell after it.
    language.use_of(text)
    _executed.append(_Run(cell, text, said("In [{count}]", count=len(shell.history_manager.input_hist_raw))))


def session_cells() -> list[str]:
    """The texts of the code cells that this notebook has run so far, in order, with the running cell as the last.

    A cell that ran twice has the text and the place of its last run, as in a notebook file. Frontends that give cells
    no ids have no second runs: each one counts as a cell of its own. Where plain Python runs a file, that is the cell.
    """
    return [run.text for run in _last_runs()] if _executed else _script()


def names_of_cells() -> list[str]:
    """What the notebook calls each of `session_cells`, such as "In [3]"; nothing for a script."""
    return [run.called for run in _last_runs()]


def cells_with_ids() -> list[str]:
    """Those of session_cells() that are certain to be different cells of the notebook."""
    return [run.text for run in _last_runs() if run.cell is not None]


def replaced_cells() -> list[str]:
    """The texts that cells had in earlier runs."""
    last = {run.cell: number for number, run in enumerate(_executed)}
    return [run.text for number, run in enumerate(_executed) if run.cell is not None and last[run.cell] != number]


def _script() -> list[str]:
    """The text of the file that Python was started with; nothing where it was started with none."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    try:
        return [pathlib.Path(file).read_text(encoding="utf-8")] if file else []
    except (OSError, ValueError):
        return []


def _last_runs() -> list[_Run]:
    last = {run.cell: number for number, run in enumerate(_executed)}
    return [run for number, run in enumerate(_executed) if run.cell is None or last[run.cell] == number]
