"""The isolation ladder: four rungs, each proved before it is named.

Runs in: every process, for the names; a worker, for the rungs themselves (`linux/`).
May import: sentence.
Start reading: linux/ladder.py, then docs/isolation.md.

linux/ladder      proves the rungs on this machine and climbs them
linux/limits, landlock, seccomp (system calls), namespaces   one rung each
linux/root        the files that exist inside the namespaces
linux/proof       the controls that a rung must pass
linux/calls       the other system calls, and what follows where one is missing
linux/processes   the end of a fork and of everything it started
linux/scratch     folders for what answers write

limits      bounds on a process's own time, memory, files and tasks: an accident affects one answer only
landlock    files: Python and the system are readable, a scratch folder is writable
seccomp     system calls: no other processes, no network, no change of owners and modes of files, no administration
namespaces  processes and network of the machine: they do not exist inside. With mounts, its other files neither

Limits alone are no boundary against malice. The names exist on every platform, the rungs on Linux.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..sentence import listed, said

RUNGS = ("limits", "landlock", "seccomp", "namespaces")
LEVELS = ("none", "limits", "landlock+seccomp", "namespaces")  # a level holds what those before it hold
HIDDEN = said("hidden files")  # whether inside the namespaces only those files exist that an answer may read
UNKNOWN = "?"  # the level of a file that ended the process which graded it


def level(status: dict[str, str]) -> str:
    """The level of the rungs whose status is "on"; status: {rung: "on" or "off: why"}."""
    on = [status.get(rung) == "on" for rung in RUNGS]
    return LEVELS[0 if not on[0] else 1 if not on[1] or not on[2] else 2 if not on[3] else 3]


def in_words(levels: Iterable[str]) -> str:
    """Levels as text for the head of a report, with a warning where one of them does not stop malice."""
    found = set(levels)
    levels = listed([said("none") if level == "none" else level for level in sorted(found)])
    if found & {*LEVELS[:2], UNKNOWN}:
        return said("{levels}; limits are no boundary against malice", levels=levels)
    return levels
