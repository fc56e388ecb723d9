"""The memories of a card, from registers to HBM: their sizes and speeds, for the drawing of them.

The numbers are those of docs/cards.json and of residency.py. Speeds on the chip follow from the peak of its arithmetic:
it gives the clock, and each multiplication with addition reads three registers and writes one.
"""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

from ..sentence import joined, said
from . import residency

# The text of lesson 02 reads the same table.
_CARDS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cards.json"
_REGISTER = 4  # bytes
_OPERANDS = 4  # registers that a multiplication with addition touches


@dataclass(frozen=True)
class Level:
    """One kind of memory of a card.

    bytes: of each one. count: how many the card has. speed: of all together, in bytes/s; None where NVIDIA publishes no
    number. sharers: a phrase that names them.
    """

    name: str
    bytes: int
    count: int
    speed: float | None
    sharers: str


def cards() -> dict[str, dict]:
    """{name: card} of docs/cards.json."""
    return {card["name"]: card for card in json.loads(_CARDS.read_text(encoding="utf-8"))["cards"]}


def drawable() -> list[str]:
    """Names of the cards whose memories are all known."""
    return [name for name, card in cards().items() if "memory" in card]


def source(name: str) -> str:
    """The publications from which the numbers of a card are."""
    card = cards()[name]
    return joined("{one}; {two}", [card["source"], card["more"]])


def levels(name: str) -> list[Level]:
    """The memories of one of `drawable`, the nearest to the arithmetic first."""
    card, inside = cards()[name], (residency.DEVICES | residency.CARDS)[name]
    count = inside["multiprocessor_count"]
    file = _REGISTER * inside["max_num_regs"]
    begun = card["flops"] / 2  # multiplications with addition, in a second
    clock = begun / (card["lanes"] * count)
    shared = card["banks"] * _REGISTER * count * clock if "banks" in card else None
    cache = card["l2_a_clock"] * clock if "l2_a_clock" in card else None
    return [
        Level(said("registers"), file, count, _OPERANDS * _REGISTER * begun, said("a thread has its own")),
        Level(
            said("shared memory"), inside["max_shared_mem"], count, shared, said("shared by the threads of a program")
        ),
        Level(said("L2 cache"), card["l2"], 1, cache, said("shared by all multiprocessors")),
        Level(
            said("memory ({kind})", kind=card["kind"]),
            int(card["memory"]),
            1,
            card["bandwidth"],
            said("kept from kernel to kernel"),
        ),
    ]
