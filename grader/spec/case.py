"""A case: one input of an exercise, with its verification, its budget and its facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .call import Call, Given
from .evidence import Evidence, Launch, Machine


@dataclass(frozen=True)
class Case:
    """One input of an exercise.

    label: text for the learner, such as "a row, 1×3". verify: returns None for right evidence, or else a sentence with
    the place and the numbers of the first error.
    """

    label: str
    call: Call
    verify: Callable[[Evidence], str | None]
    # From the launches of a right case and the machine code of each: None, or (a sentence, the id of a mistake). The
    # launches are those of the answer's own kernels, each specialisation once.
    machine: Callable[[list[tuple[Launch, Machine]]], tuple[str, str] | None] | None = None
    size: int = 0  # elements; of several failing cases, the smallest is reported
    # Whether it runs only where no case before it, of its part, has failed: it takes long, or tells nothing more then.
    dear: bool = False
    budget: tuple[int, int] | None = None  # (elements read, elements written), exact but for the next three
    may_read_less: bool = False  # whether a mask allows an answer to skip elements of the budget
    least_read: int = 0  # elements that an answer must read where it may read less than the budget
    may_write_less: bool = False  # whether an answer may choose its number of intermediate results
    tile: int | None = None  # most elements that one access of a launch may have; None: as many as it likes
    largest: int | None = None  # most elements of a block that a kernel computes with, likewise
    loads: int | None = None  # most loads in the text of a kernel, with its loops unrolled as the compiler does
    unit: int = 0  # M·N elements, the unit of the printed ledger
    facts: dict = field(default_factory=dict)  # data for the detectors of mistakes: x, rows, columns, block, ...
    expects_error: bool = False
    each_once: bool = False  # whether the budget allows each element once only, though it exceeds M·N
    may_idle: bool = False  # whether programs of a launch of the check may store nothing
    busy: int | None = None  # number of these programs that must store something; None means all
    may_call_library: bool = False  # whether the answer may call torch.softmax and its relatives
    in_place: bool = False  # whether the answer works in its tensor arguments, so that it changes them
    then: tuple[Given, ...] = ()  # functions to run on the returned tensor
    group: str | None = None  # one of the exercise's groups
    alone: bool = False  # whether it runs in a process of its own, unaffected by other cases
    interpreted_only: bool = False  # whether it is left out on a GPU, whose fused arithmetic may differ
    # The case right before this one, where both have the same function and the same memory, and other numbers.
    repeats: Case | None = None
    # The verification of a compiled run, where a GPU may be less exact than the interpreter. None: `verify`.
    compiled: Callable[[Evidence], str | None] | None = None

    @property
    def apart(self) -> bool:
        """Whether numbers live apart from the answer's Python: kernels run, bytes count, or a library is refused."""
        call = self.call
        counted = self.budget is not None or call.clock is not None or call.dry or call.kind in ("launch", "cuda")
        tensors = any(hasattr(arg, "untyped_storage") for arg in call.args)
        return counted or tensors and not self.may_call_library
