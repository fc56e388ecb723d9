"""The evidence of one call: its value, its arguments, its error, and the counts of the interpreter and PyTorch.

The annotations of the fields are also the schema of the wire (protocol/schema.py). So each field is defined only here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from ..sentence import Said
from .panel import Panel
from .requests import MemoryRequests, SharedRequests


class Where(TypedDict):
    """The place of an access outside of its tensor. Columns and elements are counted from 0; None where unknown."""

    op: Literal["load", "store"]
    program: tuple[int, int, int]
    tensor: str | None
    row: int | None
    column: int | None
    first: int | None  # element of the first active lane
    line: int | None  # line of the block, along its last axis: the rows of a tile
    begins: int | None  # element of the first active lane of that line
    lanes: int | None  # number of active lanes outside of the tensor
    of: int | None  # number of active lanes


class Error(TypedDict):
    """An exception that an answer raised."""

    type: str
    kinds: list[str]  # names of its class and of all bases
    message: Said  # a plain text where it is not the engine's
    line: str  # text of the line of the answer; "" for an exception from other code
    kernel: bool  # whether that line is one of a kernel that ran
    raised: bool  # whether the answer raised it itself: by raise, assert or torch._check, and not by accident
    todo: tuple[str | None, str | None, str | None] | None  # for a TODO's exception: exercise, step, number of steps
    where: Where | None


class Launch(TypedDict):
    """The record of one kernel launch."""

    kernel: str
    grid: list[int]
    options: dict[str, Any]  # launch options such as num_warps, by name
    constants: dict[str, Any]  # tl.constexpr arguments by name
    signature: dict[str, str]  # Triton type of each other argument, "?" where Triton has no name for it
    # Of each tensor the power of two, up to 16, that divides the bytes in front of its first element; of each integer
    # the one that divides it, 0 for 1: all that Triton's launcher looks at.
    divisible: dict[str, int]
    shared: int  # stores to an element that another program had stored to before, atomics left out
    storing: int  # programs that stored anything
    working: int  # of these, the ones that loaded a fourth of what a program loads on average or more
    lanes: int  # active lanes of all its loads
    widest: int  # active lanes of the widest access
    largest: int  # elements of the largest block that it computes with; 0 where the compiler was not asked
    loads: int  # in its text, once the compiler has unrolled what it unrolls; 0 likewise
    early: int  # loads of elements that another program stored after its last atomic
    overtaken: int  # accesses of an element that another lane of the program stored, with no barrier since
    open: int  # whether it took one of the ways that Triton leaves open (Call.poison): 0 or 1
    program: int  # index of its text in Observations.programs; -1 for a kernel of the course or in CUDA C++


class Machine(TypedDict):
    """The machine code of one launch on a GPU. A spill is 4 bytes of a thread that found no register."""

    loads: dict[str, int]  # instructions that load from global memory, by the bytes that each moves for a thread
    spills: int


@dataclass
class Observations:
    """The counts of a worker for one call. Elements are those of floating-point tensors."""

    rows: list[tuple[str, int, int]] = field(default_factory=list)  # of the ledger: (operation, elements read, written)
    read: int = 0
    written: int = 0
    bytes: tuple[int, int] = (0, 0)  # (read, written), index tensors included
    launches: list[Launch] = field(default_factory=list)
    torch_ops: list[str] = field(default_factory=list)  # names of the PyTorch operations
    torch_reads: list[int] = field(default_factory=list)  # for each tensor argument, elements that they read
    # For each tensor argument, the elements that operations and kernels read of it after the first read of the last
    # argument. In a gradient the last argument is dy, so these are the reads of backward.
    late_reads: list[int] = field(default_factory=list)
    peak: int = 0  # largest number of elements alive at once, of tensors that they made
    language: list[str] = field(default_factory=list)  # library functions of triton.language that kernels called
    panels: list[Panel] = field(default_factory=list)  # only of a traced call
    memory_requests: list[MemoryRequests] = field(default_factory=list)  # only of a call that asks for them
    shared_requests: list[SharedRequests] = field(default_factory=list)  # of CUDA, where the call asks for them
    # Of the ledger, where the call asks for it: (operation, tensor, elements read, elements written).
    moves: list[tuple[str, str, int, int]] = field(default_factory=list)
    programs: list[str] = field(default_factory=list)  # texts of the kernels, as JSON of protocol.kernels.KernelProgram
    torch_most: list[int] = field(default_factory=list)  # for each tensor argument, the most that one of torch_ops read

    def most(self, count: str) -> int:
        """The largest of one count of the launches, such as "widest"; 0 without a launch."""
        return max((launch[count] for launch in self.launches), default=0)  # type: ignore[literal-required]


@dataclass
class Evidence(Observations):
    """The result of one call: its value, its tensor arguments after the call, its error, and the observations."""

    value: Any = None  # plain value, or torch tensor
    args: list = field(default_factory=list)
    error: Error | None = None
    ran: bool = True  # False: no answer could be run, or its process ended
    refusals: list[Error] = field(default_factory=list)  # of Triton's compiler, of the launches
    then: list[Evidence] = field(default_factory=list)  # one for each function in Case.then
    last_given: Any = None  # the last tensor for which the answer called a function of the course that it was given
