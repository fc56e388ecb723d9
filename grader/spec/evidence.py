"""Evidence: everything that came back from one call.

The types of the fields are also the schema of the wire (protocol/schema.py): each field is spelt here, once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from .panel import Panel


class Where(TypedDict):
    """The place of an access outside of its tensor. Columns and elements are counted from 0; None where unknown."""

    op: Literal["load", "store"]
    program: tuple[int, int, int]
    tensor: str | None
    row: int | None
    column: int | None
    first: int | None  # element of the first active lane
    line: int | None  # of the block: a tile has one for each of its rows
    begins: int | None  # element of the first active lane of that line
    lanes: int | None  # outside
    of: int | None  # active


class Error(TypedDict):
    """An exception of an answer."""

    type: str
    kinds: list[str]  # names of its class and of all bases
    message: str
    line: str  # of the answer, as text; "" when the exception came from elsewhere
    todo: list[str | None] | None  # exercise, step, number of steps, when it was raised by a TODO
    where: Where | None


class Launch(TypedDict):
    """The record of one kernel launch."""

    kernel: str
    grid: list[int]
    options: dict[str, Any]  # num_warps and the like
    constants: dict[str, Any]  # tl.constexpr arguments by name
    signature: dict[str, str]  # Triton type of each other argument, "?" where Triton has no name for it
    shared: int  # stores to an element that another program had stored to before, atomics left out
    storing: int  # programs that stored anything
    widest: int  # active lanes of the widest access
    early: int  # loads of elements that another program stored after its last atomic


@dataclass
class Observations:
    """All that a worker counted in one call. Elements are those of floating-point tensors."""

    rows: list[tuple[str, int, int]] = field(default_factory=list)  # ledger: operation, elements read, written
    read: int = 0
    written: int = 0
    bytes: tuple[int, int] = (0, 0)  # read, written; index tensors included
    launches: list[Launch] = field(default_factory=list)
    torch_ops: list[str] = field(default_factory=list)  # names of the PyTorch operations
    torch_reads: list[int] = field(default_factory=list)  # elements of each tensor argument that they read
    peak: int = 0  # elements of the tensors that they made and that were alive at once, at most
    inside_kernels: list[str] = field(default_factory=list)  # PyTorch operations inside interpreted kernels
    language: list[str] = field(default_factory=list)  # library functions of triton.language
    panels: list[Panel] = field(default_factory=list)  # only of a traced call


@dataclass
class Evidence(Observations):
    """What came back from one call: its value, its tensor arguments as they are now, its error, the observations."""

    value: Any = None  # plain value, or torch tensor
    args: list = field(default_factory=list)
    error: Error | None = None
    ran: bool = True  # False: there was no answer to run, or the process ended
    then: list[Evidence] = field(default_factory=list)  # one for each of the case's `then`
