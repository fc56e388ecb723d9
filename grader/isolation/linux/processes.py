"""The end of a child and of everything it started, also of what left its session and its parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100  # looks for what is left; each ends all that is seen


def adopt_orphans() -> None:
    """From now on whoever loses its parent, at any depth below this process, becomes a child of this one."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def kill(pid: int) -> None:
    """End a child's whole session; before it has made one, the child alone."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            end(pid, signal.SIGKILL)


def end_strays(children: set[int]) -> None:
    """End every process below this one that is not below one of its children; whoever is left belongs to nobody."""
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
    """Numbers of the processes below this one, without `left_out` and what is below these."""
    number, above = {}, {}  # as /proc counts: the number as this process counts, the parent
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
