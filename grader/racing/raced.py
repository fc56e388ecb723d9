"""What a race gives: a plain record, which `protocol.schema` packs for a row and unpacks again."""

from __future__ import annotations

from dataclasses import dataclass

from ..sentence import Said
from ..spec import Card, Lap


@dataclass(frozen=True)
class Raced:
    """One entrant in one race.

    exercise: its id. checked: whether the answer passed the check of its exercise; only then there are laps. peers:
    by name ("torch.softmax", "torch.compile", "five passes"), the laps of the course's own functions, timed by turns
    with the answer in the same minute; empty where nobody asked for them. refused: why not every shape has a lap, or
    "". seconds: of the whole race, the check left out. date: ISO 8601.
    """

    exercise: str
    card: Card | None
    laps: tuple[Lap, ...] = ()
    peers: dict[str, tuple[Lap, ...]] | None = None
    checked: bool = False
    refused: Said = Said("")
    seconds: float = 0.0
    date: str = ""
