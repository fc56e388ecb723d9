"""The exercises that race: on which inputs, and on which shapes.

Half of the shapes are known. The others follow from a secret, so that nobody tunes to a table.
"""

from __future__ import annotations

import hmac
import math
import pathlib
import random
from collections.abc import Callable
from dataclasses import dataclass

from ..spec import Shape

DRIVER = (pathlib.Path(__file__).parent / "drivers" / "calls.py").read_text(encoding="utf-8")
SHAPES_DRAWN = 2  # besides the known ones

Draw = Callable[[random.Random], tuple[int, ...]]


def _matrix(least: int, most: int, elements: int) -> Draw:
    """From `least` to `most` columns, as often short as long, and about so many elements."""

    def drawn(rng: random.Random) -> tuple[int, ...]:
        columns = round(math.exp(rng.uniform(math.log(least), math.log(most))))
        return max(1, round(elements * rng.uniform(0.5, 1.0) / columns)), columns

    return drawn


def _queries(rng: random.Random) -> tuple[int, ...]:
    return 16 * rng.randint(64, 192), 64


def _heads(rng: random.Random) -> tuple[int, ...]:
    return rng.randint(1, 3), rng.randint(3, 6), 16 * rng.randint(32, 64), 64


@dataclass(frozen=True)
class Event:
    """The race of one exercise. family: of inputs (timing/families.py). known: sizes. dtype: of the inputs.

    cuda: the name of a text in CUDA C++, whose kernel softmax_<name> races; "" for a function of `DRIVER`.
    """

    family: str
    known: tuple[tuple[int, ...], ...]
    drawn: Draw
    dtype: str = "float32"
    cuda: str = ""


_ROWS = Event("softmax", ((4096, 1000), (16384, 781), (8192, 4096)), _matrix(200, 8192, 1 << 25))
_SHORT = Event("softmax", ((65536, 64), (65536, 256), (16384, 1000)), _matrix(32, 1024, 1 << 24))
_LONG = Event("softmax", ((4096, 1000), (1024, 32768), (64, 262144)), _matrix(5000, 300_000, 1 << 25))
_LOGITS = (1024, 32000), (1024, 50304), (512, 128256)
_VOCABULARY = _matrix(5000, 200_000, 1 << 26)
_QUERIES = Event("attention", ((1024, 64), (2048, 64)), _queries)
EVENTS = {
    "1.1": _ROWS,
    "5.1": _ROWS,
    "5.2": _ROWS,
    "7.1": Event("softmax", _ROWS.known, _ROWS.drawn, "bfloat16"),
    "7.3": Event("masked", _ROWS.known, _ROWS.drawn),
    "8.3": _LONG,
    "8.4": _LONG,
    "9.3": Event("softmax", ((64, 131072), (16, 1048576), (1, 4194304)), _matrix(60_000, 2_000_000, 1 << 23)),
    "10.1": _SHORT,
    "10.2": _ROWS,
    "10.4": _SHORT,
    "11.1": Event("gradient", _ROWS.known, _ROWS.drawn),
    "11.3": Event("autograd", _ROWS.known, _ROWS.drawn),
    **{f"12.{4 + v}": Event("softmax", _ROWS.known, _ROWS.drawn, cuda=f"v{v}") for v in (1, 2, 3)},
    "13.1": _QUERIES,
    "13.2": _QUERIES,
    "13.3": Event("flash", ((2, 4, 1024, 64), (1, 8, 2048, 64)), _heads, "float16"),
    "13.4": Event("attention gradient", ((512, 64), (1024, 64)), _queries),
    "14.2": Event("softmax", ((65536, 64), (8192, 4096), (64, 262144)), _matrix(32, 300_000, 1 << 25)),
    "14.3": Event("softmax", ((65536, 64), (8192, 4096), (64, 262144)), _matrix(32, 300_000, 1 << 25)),
    "15.3": Event("in place", _SHORT.known, _SHORT.drawn),
    "16.1": Event("losses", _LOGITS, _VOCABULARY, "bfloat16"),
    "16.2": Event("gradient of losses", _LOGITS, _VOCABULARY, "bfloat16"),
    "16.4": Event("mean loss", _LOGITS, _VOCABULARY, "bfloat16"),
}


def shapes(exercise: str, secret: bytes, drawn: int = SHAPES_DRAWN) -> tuple[Shape, ...]:
    """The known shapes of an exercise, and so many more that follow from the secret. Raises KeyError: none races."""
    event = EVENTS[exercise]
    rng = random.Random(seed(secret, exercise))
    return (*map(Shape, event.known), *(Shape(event.drawn(rng), drawn=True) for _ in range(drawn)))


def seed(secret: bytes, *of: object) -> int:
    """A number below 2**62 that follows from the secret and from nothing else that anybody knows."""
    message = " ".join(["race", *map(str, of)]).encode()
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big") >> 2
