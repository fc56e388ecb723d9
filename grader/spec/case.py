"""A case: one input of an exercise, with its verification, its budget and its facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .call import Call, Given
from .evidence import Evidence


@dataclass(frozen=True)
class Case:
    """One input an answer is run on. `verify` returns None, or a sentence that says where it went wrong."""

    label: str
    call: Call
    verify: Callable[[Evidence], str | None]
    size: int = 0  # elements; the smallest failing case is the one reported
    budget: tuple[int, int] | None = None  # elements read, elements written
    may_read_less: bool = False  # where a mask lets an answer leave out elements that the budget counts
    may_write_less: bool = False  # where it is for the answer to say how many intermediate results it keeps
    unit: int = 0  # M·N, what the ledger is printed in
    facts: dict = field(default_factory=dict)  # what detectors of mistakes look at: x, rows, columns, block, ...
    expects_error: bool = False
    each_once: bool = False  # the budget holds no second look at anything, though it is more than M·N
    may_idle: bool = False  # programs of the check's own launch may have nothing to store
    busy: int | None = None  # how many of them must store something; None means all
    may_call_library: bool = False  # torch.softmax may judge here, and not only be imitated
    then: tuple[Given, ...] = ()  # run on the tensor that the answer returned
    group: str | None = None  # one of the exercise's groups
    alone: bool = False  # in a process of its own, so that no other case can spoil it
    interpreted_only: bool = False  # where a GPU's fused arithmetic may rightly differ
