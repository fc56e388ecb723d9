"""One run of a function under the eyes of the interpreter: what it returned, changed, launched and moved."""

from __future__ import annotations

import contextlib
import operator
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from .. import interpreter
from ..interpreter.ledger import Launch, Ledger
from ..interpreter.recorder import Recorder
from ..interpreter.state import current
from ..interpreter.torch_ledger import TorchLedger
from .arguments import Arguments, flat
from .elsewhere import as_on_a_gpu


@dataclass
class Launched:
    """A launch as its arguments were: what the compiler is asked about it. kernel: the Python function."""

    kernel: Any
    arguments: dict
    options: dict
    constants: list[str]
    record: Launch


@dataclass
class Run:
    """What became of one call.

    results: the tensors that it returned. error: what it raised. before, after: the tensors among its arguments, by
    place; before: copies, None for a tensor whose rows lie too far apart to copy its memory.
    """

    arguments: Arguments
    results: list[torch.Tensor] = field(default_factory=list)
    returned: bool = False  # whether it returned anything but None
    error: BaseException | None = None
    before: dict[int, torch.Tensor] = field(default_factory=dict)
    ledger: Watching | None = None
    launched: list[Launched] = field(default_factory=list)

    def bytes_of(self, tensor: torch.Tensor) -> tuple[int, int]:
        """(bytes read, bytes written) of the memory of a tensor, by kernels and by operators of PyTorch."""
        storage = self.ledger.storages.hold(tensor)
        entries = [entry for entry in self.ledger.entries if entry.storage == storage]
        return sum(e.read * e.itemsize for e in entries), sum(e.written * e.itemsize for e in entries)

    def stored_by_pytorch(self, tensor: torch.Tensor) -> bool:
        """Whether an operator of PyTorch has written to the memory of a tensor."""
        storage, kernels = self.ledger.storages.hold(tensor), {launch.kernel for launch in self.launches}
        written = (entry for entry in self.ledger.entries if entry.storage == storage and entry.written)
        return any(entry.operation not in kernels for entry in written)

    @property
    def launches(self) -> list[Launch]:
        """The records of its launches."""
        return self.ledger.launches

    def changed(self) -> list[int]:
        """The places of the tensors among its arguments that hold other numbers than before."""
        tensors = self.arguments.tensors()
        return [i for i, before in self.before.items() if not _same(before, tensors[i])]


_READ, _WRITTEN = operator.attrgetter("read"), operator.attrgetter("written")


class Watching(Ledger):
    """A ledger that keeps what each launch was given.

    orders_matter: whether a launch loads from memory that it stores to. Where none does, and no two programs store to
    one element, all orders of the programs give the same result.
    """

    def __init__(self, launched: list[Launched]):
        super().__init__()
        self._launched, self._begins, self.orders_matter = launched, 0, False

    def begin_launch(self, record: Launch) -> None:
        """Count from now on for this launch."""
        super().begin_launch(record)
        self._begins = len(self.entries)
        state = current.launch
        kernel = state.executor.fn
        self._launched.append(Launched(kernel, state.arguments, state.options, state.constexprs, record))

    def end_launch(self) -> None:
        """Settle a launch, and keep whether it loads from memory that it stores to."""
        super().end_launch()
        entries = self.entries[self._begins :]
        loaded, stored = ({entry.storage for entry in entries if count(entry)} for count in (_READ, _WRITTEN))
        self.orders_matter |= bool(loaded & stored)


def run(
    function,
    arguments: Arguments,
    order: str = "forward",
    poison: bool = True,
    recorder: Recorder | None = None,
    tf32: bool = False,
    magnified: int = 0,
    zeros: bool = False,
) -> Run:
    """Call the function, interpreted. order, poison, tf32, magnified: as in interpreter.conditions. recorder: sees each
    access. zeros: whether memory from torch.empty holds 0, and not its marks.

    With a recorder the programs run one by one, so that it can see the line of each access.
    """
    done = Run(arguments)
    done.before = {i: tensor.detach().clone() for i, tensor in arguments.tensors().items()}
    done.ledger = Watching(done.launched)
    for tensor in arguments.tensors().values():
        done.ledger.storages.hold(tensor)
    with contextlib.ExitStack() as watched:
        watched.enter_context(quiet())
        watched.enter_context(as_on_a_gpu())
        batch = recorder is None
        numbers = {"tf32": tf32, "magnified": magnified}
        watched.enter_context(interpreter.conditions(order, poison, batch, bfloat16=True, **numbers))
        watched.enter_context(interpreter.recording(done.ledger, recorder))
        watched.enter_context(TorchLedger(done.ledger, poison=True, zeros=zeros))
        try:
            value = arguments.given_to(function)
            done.returned = value is not None
            done.results = flat(value)
        except Exception as error:
            done.error = error
    return done


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Inside the block, warnings of the function and of the reference are not shown once a case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _same(before: torch.Tensor, after: torch.Tensor) -> bool:
    after = after.detach()
    return bool(((before == after) | ((before != before) & (after != after))).all())
