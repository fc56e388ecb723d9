"""The memories of a card, from registers to HBM: their sizes and speeds, for the drawing of them.

Speeds on the chip follow from the peak of its arithmetic: it gives the clock, and each multiplication with addition
reads three registers and writes one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..gpus import GPUS
from ..sentence import joined, said

_REGISTER = 4  # bytes
_NEEDED = ("multiprocessor", "bandwidth", "flops", "memory", "kind", "l2", "lanes")
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


def drawable() -> list[str]:
    """Names of the GPUs whose memories are all known."""
    return [gpu.name for gpu in GPUS.values() if all(map(gpu.__getattribute__, _NEEDED))]


def source(name: str) -> str:
    """The publications from which the numbers of a GPU are."""
    return joined("{one}; {two}", GPUS[name].sources)


def levels(name: str) -> list[Level]:
    """The memories of one of `drawable`, the nearest to the arithmetic first."""
    gpu = GPUS[name]
    count, inside = gpu.multiprocessors, gpu.multiprocessor
    begun = gpu.flops / 2  # multiplications with addition, in a second
    clock = begun / (gpu.lanes * count)
    shared = gpu.banks * _REGISTER * count * clock if gpu.banks else None
    cache = gpu.l2_a_clock * clock if gpu.l2_a_clock else None
    return [
        Level(
            said("registers"),
            _REGISTER * inside.registers,
            count,
            _OPERANDS * _REGISTER * begun,
            said("a thread has its own"),
        ),
        Level(said("shared memory"), inside.shared, count, shared, said("shared by the threads of a program")),
        Level(said("L2 cache"), gpu.l2, 1, cache, said("shared by all multiprocessors")),
        Level(
            said("memory ({kind})", kind=gpu.kind),
            int(gpu.memory),
            1,
            gpu.bandwidth,
            said("kept from kernel to kernel"),
        ),
    ]
