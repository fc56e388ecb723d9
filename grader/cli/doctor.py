"""python -m grader doctor: the features that work on this machine."""

from __future__ import annotations

from ..sentence import said


def add(commands) -> None:
    """Add this command to the parser."""
    commands.add_parser("doctor", help=said("say what works on this machine")).set_defaults(run=run)


def run(options) -> int:
    """Print the report. Exit status 0: every check can run."""
    from ..notebook.doctor import healthy, report, show

    found = report()
    show(found)
    return 0 if healthy(found) else 1
