"""A GPU whose time is made up: each way to measure it wrongly gives another number, the same every time."""

from __future__ import annotations

import math

LAUNCH = 3e-6  # seconds that the host needs to queue a call
COMPILE = 0.4  # seconds more for the first one
CLEAR = 60e-6  # seconds that the device needs to clear its cache
SLOW = 10  # calls, until the card has reached its speed
JITTER = 1e-3  # of the usual time
_KEPT, _LETTERS = 1000, 100


class Device:
    """Calls queue their work and return at once; now() does not wait for the work, synchronize() does.

    seconds: what a call of run takes. It takes half as long with its data in the cache, longer while the card is
    still slow, and now and then much longer or a little less: every fifth call is disturbed, beginning at `disturbed`.
    No two calls take quite the same time.

    timed: (letters, whether work was waiting at the first look, and at the second, seconds between the two) for each
    pair of looks at the clock with calls in between. A letter a call: first, slow, cached, usual; x is a clear_cache().
    """

    def __init__(self, seconds: float, disturbed: int = 0):
        self.timed: list[tuple[str, bool, bool, float]] = []
        self._seconds, self._disturbed = seconds, disturbed
        self._time = self._done = 0.0  # the host's time; when the device will have done what is queued
        self._calls, self._cached = 0, False
        self._look: tuple[float, bool] | None = None
        self._letters = ""

    def now(self) -> float:
        """Seconds on the host's clock."""
        waiting = self._done > self._time
        if self._look and self._letters.strip("x") and len(self.timed) < _KEPT:
            begin, waited = self._look
            self.timed.append((self._letters, waited, waiting, self._time - begin))
        self._look, self._letters = (self._time, waiting), ""
        return self._time

    def synchronize(self) -> None:
        """Wait until the device has done all that is queued."""
        self._time = max(self._time, self._done)

    def clear_cache(self) -> None:
        """Queue work that leaves nothing of other data in the cache."""
        self._queue(CLEAR)
        self._cached = False
        self._letters = (self._letters + "x")[:_LETTERS]

    def run(self, x):
        """Queue a call; returns x."""
        self._calls += 1
        letter, share = self._next()
        self._time += COMPILE * (self._calls == 1)
        self._queue(self._seconds * share)
        self._time += LAUNCH
        self._letters = (self._letters + letter)[:_LETTERS]
        self._cached = True
        return x

    def _next(self) -> tuple[str, float]:
        """What the call is, and its time as a share of the usual one."""
        call = self._calls - SLOW
        cached = 0.5 if self._cached else 1.0
        if call <= 0:
            return "f" if self._calls == 1 else "s", 1.5 * cached
        rare = 4.0 if call % 5 == self._disturbed else 0.8 if call % 7 == 3 else 1.0
        return "c" if self._cached else "u", rare * cached * (1 + JITTER * math.sin(call))

    def _queue(self, seconds: float) -> None:
        self._done = max(self._done, self._time) + seconds
