"""Online softmax: the right state of a row, and the check that a kernel walks along the row in tiles.

The state (m, d) of some values is their maximum and the sum of exp(x - m). Two states merge into one; that is why one
walk finds both (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
"""

from __future__ import annotations

import math

from ..sentence import fault
from ..spec import Evidence

INF = math.inf
State = tuple[float, float]


def state(xs: list[float]) -> State:
    """(m, d) of the values, in float64. Of no values it is (-inf, 0), which changes no other state by a merge."""
    m = max(xs, default=-INF)
    return m, math.fsum(math.exp(x - m) for x in xs) if m > -INF else 0.0


def block_fault(evidence: Evidence, least: int, largest: int) -> str | None:
    """None when the widest access of the launches has `least` to `largest` lanes, else a sentence."""
    widest = evidence.most("widest")
    fits = least <= widest <= largest
    if fits:
        return None
    return fault(
        "way",
        "right numbers, but one access moves {widest} columns, expected blocks of {least} to {largest}",
        widest=widest,
        least=least,
        largest=largest,
    )
