"""The isolation ladder: four rungs, each proved before it is named.

Runs in: every process, for the names; a worker, for the rungs themselves (`linux/`).
May import: nothing of the course.
Start reading: linux/ladder.py, then docs/isolation.md.

limits      what a process may ask of itself; an accident stays one answer's accident
landlock    files: Python and the system to read, a scratch folder to write
seccomp     no other processes, no network, no owners and modes of files, no doors into the kernel
namespaces  the same again, by other means: no process and no network of the machine is there to be reached

The first alone is no boundary against malice. The names are for every platform, the rungs for Linux.
"""

from __future__ import annotations

from collections.abc import Iterable

RUNGS = ("limits", "landlock", "seccomp", "namespaces")
LEVELS = ("none", "limits", "landlock+seccomp", "namespaces")  # a level holds what those before it hold
UNKNOWN = "?"  # where a file ended whoever graded it


def level(status: dict[str, str]) -> str:
    """The level that the rungs with status "on" amount to."""
    on = [status.get(rung) == "on" for rung in RUNGS]
    return LEVELS[0 if not on[0] else 1 if not on[1] or not on[2] else 2 if not on[3] else 3]


def in_words(levels: Iterable[str]) -> str:
    """Levels for the head of a report, with a warning where one of them keeps accidents apart and no more."""
    found = set(levels)
    warning = "; limits are no boundary against malice" if found & {*LEVELS[:2], UNKNOWN} else ""
    return ", ".join(sorted(found)) + warning
