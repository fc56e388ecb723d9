"""A lap: how long one function took on one input, on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..sentence import Said

Way = Literal["graph", "tape", ""]


WORDS = "words"  # the kind of a sentence that has words of the answer in it


@dataclass(frozen=True)
class Shape:
    """The sizes of one input. drawn: whether they come from the secret, so that nobody could tune to them."""

    sizes: tuple[int, ...]  # of a matrix: rows, columns
    drawn: bool = False

    def __str__(self) -> str:
        return "×".join(map(str, self.sizes))


@dataclass(frozen=True)
class Lap:
    """One function on one shape. Times are of the GPU, in microseconds: medians and quartiles of the timed replays.

    copy: the median time of copying as many bytes as the exercise has to read and write at least, by turns with the
    function. way: "graph" where the orders were captured as one CUDA graph, "tape" where they were given one by one
    (`notes` says why). replays: how many were timed; the result of each was compared with float64. compiled, tuned:
    seconds that Triton's compiler and an autotuner took before the clock ran. refused: why there is no time, or "".
    """

    shape: Shape
    dtype: str
    microseconds: float | None = None
    quartiles: tuple[float, float] | None = None
    copy: float | None = None
    way: Way = ""
    replays: int = 0
    compiled: float = 0.0
    tuned: float = 0.0
    notes: tuple[Said, ...] = ()
    refused: Said = Said("")

    @property
    def share(self) -> float | None:
        """The time of the copy divided by that of the function: 1 is as fast as the card copies these bytes.

        Short rows may be above 1, as a copy by PyTorch is no floor.
        """
        return None if self.microseconds is None or not self.copy else self.copy / self.microseconds

    @property
    def spread(self) -> float | None:
        """The distance of the quartiles, as a part of the median: two times that differ by less are a tie."""
        if self.microseconds is None or self.quartiles is None:
            return None
        return (self.quartiles[1] - self.quartiles[0]) / self.microseconds


@dataclass(frozen=True)
class Card:
    """The GPU of a race. peak: of its memory, in bytes/s; None if its record is unknown. l2: bytes of its L2 cache.

    notes: sentences about its clock: throttled, shared with other processes.
    """

    name: str
    peak: float | None = None
    l2: int = 0
    notes: tuple[Said, ...] = ()
