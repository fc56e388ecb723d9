"""A simulated GPU with a deterministic clock: each wrong way to measure a time gives its own wrong number."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

JITTER = 1e-3  # as a share of the usual time
_KEPT, _LETTERS = 1000, 100  # most entries of `timed`, most letters of one of them


@dataclass(frozen=True)
class Pace:
    """What a card takes besides its work. The usual one is published; who knows a card's could subtract it."""

    launch: float = 3e-6  # seconds of the host to queue a call
    compiling: float = 0.4  # extra seconds of the host for the first call
    clear: float = 60e-6  # seconds of the device to clear its cache
    slow: int = 10  # number of calls until the device has its full speed
    # The time of a call, as a multiple of the usual one: while the card is slow, with its data in the cache, of a
    # disturbed one, and of one that is faster than usual.
    at_first: float = 1.5
    cached: float = 0.5
    disturbed: float = 4.0
    fast: float = 0.8
    place: int = 3  # of the fast ones, among seven calls
    phase: float = 0.0  # of the jitter

    @classmethod
    def drawn(cls, seed: int) -> Pace:
        """The pace of a card that nobody knows."""
        chance = random.Random(seed)
        return cls(
            chance.uniform(2e-6, 4e-6),
            chance.uniform(0.3, 0.5),
            chance.uniform(4e-5, 8e-5),
            chance.randint(7, 10),
            chance.uniform(1.4, 1.6),
            chance.uniform(0.4, 0.6),
            chance.uniform(3.5, 4.5),
            chance.uniform(0.75, 0.85),
            chance.randrange(7),
            chance.uniform(0, 6),
        )


class Device:
    """A device with a queue. Calls queue their work and return at once; only synchronize() waits for the work.

    seconds: usual time of one call of run(). A call takes half this time with its data in the cache, and 1.5 times as
    long while the device is slow. After that, every fifth call takes four times as long (those whose number modulo 5
    is `disturbed`), and some take 0.8 times as long. A jitter changes each call a little.
    seed: of these numbers, which are others then; None for the usual ones.

    timed: one entry for each pair of successive now() with calls between them: (letters, whether work was queued at
    the first now(), the same at the second, seconds between the two). One letter a call: f(irst), s(low), c(ached),
    u(sual), and x for clear_cache().
    """

    def __init__(self, seconds: float, disturbed: int = 0, seed: int | None = None):
        self._pace = Pace() if seed is None else Pace.drawn(seed)
        self.timed: list[tuple[str, bool, bool, float]] = []
        self._seconds, self._disturbed = seconds, disturbed
        self._time = self._done = 0.0  # time of the host; time at which the device finishes its queue
        self._calls, self._cached = 0, False
        self._look: tuple[float, bool] | None = None
        self._letters = ""

    def now(self) -> float:
        """The time of the host's clock, in seconds. It does not wait for queued work."""
        waiting = self._done > self._time
        if self._look and self._letters.strip("x") and len(self.timed) < _KEPT:
            begin, waited = self._look
            self.timed.append((self._letters, waited, waiting, self._time - begin))
        self._look, self._letters = (self._time, waiting), ""
        return self._time

    def synchronize(self) -> None:
        """Wait until the device has finished all queued work."""
        self._time = max(self._time, self._done)

    def clear_cache(self) -> None:
        """Queue work that evicts all other data from the cache."""
        self._queue(self._pace.clear)
        self._cached = False
        self._letters = (self._letters + "x")[:_LETTERS]

    def run(self, x):
        """Queue one call of the function to measure; returns x unchanged."""
        self._calls += 1
        letter, share = self._next()
        self._time += self._pace.compiling * (self._calls == 1)
        self._queue(self._seconds * share)
        self._time += self._pace.launch
        self._letters = (self._letters + letter)[:_LETTERS]
        self._cached = True
        return x

    def _next(self) -> tuple[str, float]:
        """(letter of the next call, its time as a multiple of the usual time)."""
        pace = self._pace
        call = self._calls - pace.slow
        cached = pace.cached if self._cached else 1.0
        if call <= 0:
            return "f" if self._calls == 1 else "s", pace.at_first * cached
        rare = pace.disturbed if self._calls % 5 == self._disturbed else pace.fast if call % 7 == pace.place else 1.0
        return "c" if self._cached else "u", rare * cached * (1 + JITTER * math.sin(call + pace.phase))

    def _queue(self, seconds: float) -> None:
        self._done = max(self._done, self._time) + seconds
