"""Ends a child and all its descendants, also those that left its session or lost their parent; says how they waited."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import signal
from collections.abc import Callable

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100  # searches for remaining processes; each ends all that it finds


def ask(call: Callable, *arguments):
    """The result of a system call. Raises OSError with the call's name in `strerror`."""
    try:
        return call(*arguments)
    except (OSError, ValueError) as error:  # Python turns some refusals of setrlimit into ValueError
        why = getattr(error, "strerror", None) or error
        raise OSError(getattr(error, "errno", None), f"{call.__name__}: {why}") from None


def ended_for_memory() -> int | None:
    """The number of processes of this machine that Linux has ended to free memory; None where it does not say."""
    try:
        with open("/proc/vmstat") as f:
            return next((int(line.split()[1]) for line in f if line.startswith("oom_kill ")), None)
    except OSError:
        return None


def waited(pid: int) -> float:
    """Seconds that a thread of a process was ready and had no core, at most; 0 where Linux does not say.

    Not those of all threads together: a process with many of them would wait for more than passes on the clock.
    Source: the second number of /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst of Linux).
    """
    longest = 0
    for thread in pathlib.Path("/proc", str(pid), "task").glob("*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may have ended, or Linux keeps no such record
            longest = max(longest, int(thread.read_text().split()[1]))
    return longest / 1e9


def waited_below(pid: int) -> dict[int, float]:
    """{process id: `waited`} of all descendants of a process that still run."""
    found = {}
    for children in pathlib.Path("/proc", str(pid), "task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, children.read_text().split()):
                found |= {child: waited(child)} | waited_below(child)
    return found


def adopt_orphans() -> None:
    """Make this process the new parent of each descendant that loses its own."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


class Child:
    """A fork of this process. pid: its id. wakes: a descriptor that is readable after its end; None: ask `ended`."""

    def __init__(self, pid: int):
        self.pid = pid
        try:
            self.wakes = os.pidfd_open(pid)
        except (AttributeError, OSError):  # Linux before 5.3, a filter of a container, a Python built on such a machine
            self.wakes = None

    def ended(self) -> bool:
        """Whether it has ended. Its id stays taken until `reap`."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def reap(self) -> None:
        """End it, and the processes that it left in its session."""
        kill(self.pid)
        os.waitpid(self.pid, 0)
        if self.wakes is not None:
            os.close(self.wakes)


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
