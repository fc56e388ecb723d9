"""A call: one request to run a name of an answer, and the types of its arguments besides plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Out:
    """A tensor argument that the worker allocates and fills with NaN. strides: in elements; None means contiguous."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Given:
    """A function of the course that takes tensors. It is an argument of an answer, or runs on a returned tensor.

    It runs in a process of its own, so an answer can call it but not read its code. source: text of its module. name:
    of the function in it.
    """

    source: str
    name: str


@dataclass(frozen=True)
class Helper:
    """A small function of the course as an argument of an answer. It runs in the answer's process, which can read it.

    source: text that defines the function. name: of the function in it.
    """

    source: str
    name: str


@dataclass(frozen=True)
class Call:
    """One request to run a name of an answer.

    kind: "value" reads a name, "call" calls a function, "launch" launches a kernel over `grid`, "cuda" launches the
    kernel kwargs["function"] of a CUDA source over `grid` blocks of kwargs["threads"] threads.
    args: torch tensors (sent with their strides), Out, Given, Helper, or plain values.
    order: of the programs of a launch, "forward", "reversed" or "shuffled".
    poison: which of two ways that takes which Triton leaves open (interpreter/left_open.py). With it, masked lanes of a
    load without `other` hold inf, -inf and NaN in turn, or else 0, as on most GPUs.
    """

    kind: str
    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    grid: tuple[int, ...] = ()
    order: str = "forward"
    poison: bool = True
    trace: bool = False  # whether to record which program touched which element
    # Whether to report the loads and stores of each tensor (Evidence.moves); with trace, the requests of the warps too.
    # A call of kind "cuda" reports its requests to shared memory.
    requests: bool = False
    # A simulated GPU that the driver may ask: shape and dtype of a matrix, seconds and disturbed calls of a copy, peak
    # in GB/s, seed of its pace. The value of the call then is (value of the function, the timed intervals).
    clock: tuple[tuple[int, int], str, float, int, float, int] | None = None
    dry: bool = False  # whether launches do not run; the value of the call then is the list of the kernels' names
    # (programs, chosen): of a launch with this number of programs along an axis, only the chosen ones of them run. The
    # kernel finds the whole grid around it, and the host is not told. Another launch runs as it is.
    few: tuple[int, tuple[int, ...]] | None = None
    # (programs, one of them): in a launch with this number of programs along an axis, this one finds zeros wherever it
    # loads numbers. The host is not told.
    blind: tuple[int, int] | None = None
    # Where the tensor arguments lie: "" for new memory. "same": they are the objects of the call before, with these
    # numbers in them. "address": they are new objects in that memory. The call before must have had such tensors.
    memory: Literal["", "same", "address"] = ""
    # Strides in elements that the tensor arguments have for the kernel of a launch, or for a function, and that may be
    # far apart; () for one that has its own. Memory holds no more than their elements: they arrive contiguous, and go
    # back so.
    strides: tuple[tuple[int, ...], ...] = ()
