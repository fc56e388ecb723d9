"""Evidence: everything that came back from one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Evidence:
    """What came back from one Call."""

    value: Any = None  # plain value, or torch tensor(s)
    args: list = field(default_factory=list)  # tensor arguments after the call
    error: dict | None = None  # type, message, line, lineno, where
    rows: list = field(default_factory=list)  # ledger: (operation, elements read, elements written)
    read: int = 0  # elements
    written: int = 0  # elements
    bytes: tuple[int, int] = (0, 0)  # read, written; index tensors included
    launches: list = field(default_factory=list)
    torch_ops: list = field(default_factory=list)
    torch_reads: list = field(default_factory=list)  # elements of each tensor argument that PyTorch operations read
    peak: int = 0  # elements of the tensors that PyTorch operations made and that were alive at once, at most
    inside_kernels: list = field(default_factory=list)  # PyTorch operations
    language: list = field(default_factory=list)  # library functions of triton.language
    panels: list = field(default_factory=list)  # of Panel, when it was traced
    ran: bool = True  # False: there was no answer to run, or the process ended
    then: list[Evidence] = field(default_factory=list)  # one for each of the case's `then`
