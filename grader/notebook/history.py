"""The history of a notebook: the code cells that it has run, in order."""

from __future__ import annotations

_executed: list[str] = []
_called: list[str] = []  # what the notebook calls each of them


def record(shell) -> None:
    """Keep the code of every cell that the notebook runs, starting with those that it has run already.

    shell: the IPython shell. Its own history is not enough: a program that runs notebooks can switch it off, as nbval
    does.
    """
    _executed.extend(shell.history_manager.input_hist_raw[1:])
    _called.extend(f"In [{count}]" for count in range(1, len(_executed) + 1))
    running = getattr(shell, "get_parent", dict)().get("content", {}).get("code")
    if running and running not in _executed[-1:]:
        _remember(shell, running)
    shell.events.register("pre_run_cell", lambda info: _remember(shell, info.raw_cell))


def _remember(shell, cell: str) -> None:
    _executed.append(cell)
    # IPython counts up before this event or after it, depending on its version; it keeps the cell after it.
    _called.append(f"In [{len(shell.history_manager.input_hist_raw)}]")


def session_cells() -> list[str]:
    """The texts of the code cells that this notebook has run so far, in order, with the running cell as the last."""
    return list(_executed)


def names_of_cells() -> list[str]:
    """What the notebook calls each of `session_cells`, such as "In [3]"."""
    return list(_called)
