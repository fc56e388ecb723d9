"""The time that an answer may take, without the time in which it waited for a core.

A busy machine gives each process a part of its time. By the clock alone, an answer that is fast enough would run out of
time there, and have other points than on an idle machine.
"""

from __future__ import annotations

import os
import time

from ..isolation.linux import processes

LONGEST = 3  # times the limit: so long an answer may take by the clock


class TimeLimit:
    """A limit for one process of an answer or several. It begins with the first one."""

    def __init__(self, seconds: float):
        self.seconds, self._begin = seconds, 0.0
        self._lasting: dict[int, float] = {}  # processes that were there before, and how long they had waited then
        self._waited: dict[int, float] = {}
        self._more = 0.0  # seconds given for waiting, so far

    def watch(self, forking: int) -> None:
        """Count the waiting of the judge and of the process that forks the answer's, from now on."""
        if not self._lasting:
            self._begin = time.monotonic()
        for process in (os.getpid(), forking):
            if process not in self._lasting:
                self._lasting[process] = processes.waited(process)

    def look(self) -> None:
        """Ask Linux how long each process waited, forks of this answer included. Nobody knows it after their end."""
        for process, before in self._lasting.items():
            self._waited[process] = processes.waited(process) - before
            if process != os.getpid():
                self._waited |= processes.waited_below(process)

    def passed(self) -> float:
        """Seconds on the clock since the limit began."""
        return time.monotonic() - self._begin

    def left(self, until: float | None = None) -> float:
        """Seconds until the second `until` of the limit, or its last one. Asks Linux only if the clock is past it."""
        end = self.seconds if until is None else until
        if end + self._more <= self.passed():
            self.look()
            self._more = min(sum(self._waited.values()), (LONGEST - 1) * self.seconds)
        return end + self._more - self.passed()
