"""The code cells that this notebook has run, in order."""

from __future__ import annotations

_executed: list[str] = []


def record(shell) -> None:
    """Keep the code of every cell that a notebook runs from now on, and of those it ran before.

    IPython's own history is not enough: a program that runs a notebook may switch it off, as nbval does.
    """
    _executed.extend(shell.history_manager.input_hist_raw[1:])
    running = getattr(shell, "get_parent", dict)().get("content", {}).get("code")
    if running and running not in _executed[-1:]:
        _executed.append(running)
    shell.events.register("pre_run_cell", lambda info: _executed.append(info.raw_cell))


def session_cells() -> list[str]:
    """The code cells executed so far in this notebook, in order; the running cell included."""
    return list(_executed)
