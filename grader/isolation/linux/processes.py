"""Ends a child and all its descendants, also those that left its session or lost their parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100  # searches for remaining processes; each ends all that it finds


def adopt_orphans() -> None:
    """Make this process the new parent of each descendant that loses its own."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def kill(pid: int) -> None:
    """End a child and its whole session, if it has one already."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            end(pid, signal.SIGKILL)


def end_strays(children: set[int]) -> None:
    """End every descendant of this process that is neither one of `children` nor a descendant of these."""
    for _ in range(_ROUNDS):
        strays = _below_this_one(children)
        if not strays:
            return
        for pid in strays:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        for pid in strays:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _below_this_one(left_out: set[int]) -> list[int]:
    """Process ids of the descendants of this process, without `left_out` and their descendants."""
    number, above = {}, {}  # by the id in /proc: the id in this process's namespace, the parent's id in /proc
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{entry}/status") as f:
                said = dict(line.split(":", 1) for line in f)
                above[int(entry)] = int(said["PPid"])
                number[int(entry)] = int(said.get("NSpid", said["Pid"]).split()[-1])
    top, found = int(os.readlink("/proc/self")), []
    for pid in above:
        each = pid
        while each not in (top, 0) and number.get(each) not in left_out:
            each = above.get(each, 0)
        if each == top and pid != top:
            found.append(number[pid])
    return found
