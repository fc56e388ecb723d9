"""A call: one thing to do with an answer, and the arguments that are more than plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Out:
    """A tensor that the worker makes and fills with NaN. strides in elements; None means contiguous."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Given:
    """A function of the course, of one matrix. An answer is handed it, or it is run on what the answer returned.

    It runs in a process of its own, so an answer can call it but not look into it. source: the text of its module.
    """

    source: str
    name: str


@dataclass(frozen=True)
class Helper:
    """A small function of the course, as its text. An answer is handed it, runs it, and may look into it."""

    source: str
    name: str


@dataclass(frozen=True)
class Call:
    """One thing to do with an answer.

    kind: "value" reads a name, "call" calls a function, "launch" launches a kernel over `grid`, "cuda" launches the
    kernel kwargs["function"] of a CUDA source over `grid` blocks of kwargs["threads"] threads.
    args: torch tensors (sent with their strides), Out, Given, Helper, or plain values.
    poison: whether masked lanes without a value hold something that shows. Without it they hold 0, as on most GPUs.
    """

    kind: str
    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    grid: tuple[int, ...] = ()
    order: str = "forward"
    poison: bool = True
    trace: bool = False  # whether to record which program touched which element
