"""The history of a notebook: the code cells that it has run, in order."""

from __future__ import annotations

_executed: list[tuple[str | None, str]] = []  # (id of the cell, its text) of each run


def record(shell) -> None:
    """Keep the code of every cell that the notebook runs, starting with those that it has run already.

    shell: the IPython shell. Its own history is not enough: a program that runs notebooks can switch it off, as nbval
    does.
    """
    _executed.extend((None, text) for text in shell.history_manager.input_hist_raw[1:])
    parent = getattr(shell, "get_parent", dict)()
    running = parent.get("content", {}).get("code")
    if running and running not in [text for _, text in _executed[-1:]]:
        _executed.append((parent.get("metadata", {}).get("cellId"), running))
    shell.events.register(
        "pre_run_cell", lambda info: _executed.append((getattr(info, "cell_id", None), info.raw_cell))
    )


def session_cells() -> list[str]:
    """The texts of the code cells that this notebook has run so far, in order, with the running cell as the last.

    A cell that ran twice has the text and the place of its last run, as in a notebook file. Frontends that give cells
    no ids have no second runs: each one counts as a cell of its own.
    """
    last = _last_runs()
    return [text for number, (cell, text) in enumerate(_executed) if cell is None or last[cell] == number]


def cells_with_ids() -> list[str]:
    """Those of session_cells() that are certain to be different cells of the notebook."""
    last = _last_runs()
    return [text for number, (cell, text) in enumerate(_executed) if cell is not None and last[cell] == number]


def replaced_cells() -> list[str]:
    """The texts that cells had in earlier runs."""
    last = _last_runs()
    return [text for number, (cell, text) in enumerate(_executed) if cell is not None and last[cell] != number]


def _last_runs() -> dict[str | None, int]:
    """The number of the last run of each cell, by the cell's id."""
    return {cell: number for number, (cell, _) in enumerate(_executed)}
