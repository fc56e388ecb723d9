"""python -m grader doctor: what works on this machine."""

from __future__ import annotations


def add(commands) -> None:
    """Add this command to the parser."""
    commands.add_parser("doctor", help="say what works on this machine").set_defaults(run=run)


def run(options) -> int:
    """Say what works here; exit status 0 when every check can run."""
    from ..notebook.doctor import healthy, report, show

    found = report()
    show(found)
    return 0 if healthy(found) else 1
