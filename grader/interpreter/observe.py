"""The observation of one call: what it launched, loaded, stored and computed, as plain data."""

from __future__ import annotations

import contextlib

from ..spec import Call, Observations
from . import conditions, recording
from .float_storages import FloatStorages
from .ledger import Launch, Ledger
from .recorder import Recorder
from .sectors import SectorCounter
from .torch_ledger import TorchLedger

_MAX_ENTRIES = 1000  # of a list: the judge has no use for more


class Observer(contextlib.ExitStack):
    """Inside the block, kernels run under the conditions of a call, and everything is counted.

    storages: those known from earlier calls to hold floating-point numbers. ledger: gets the counts.
    """

    def __init__(self, call: Call, storages: FloatStorages | None = None):
        super().__init__()
        self.ledger = Ledger(storages)
        given = [arg for arg in call.args if hasattr(arg, "untyped_storage")]
        names = self.ledger.storages.begin(given)
        self.ledger.last_argument = names[-1] if names else None
        self._call = call
        self._recorder = _recorder(call)
        self._counter = TorchLedger(self.ledger, poison=not call.dry)  # nothing is read where no kernel runs

    def __enter__(self):
        call = self._call
        self.enter_context(
            conditions(call.order, call.poison, strides=call.strides, few=call.few, blind=call.blind),
        )
        self.enter_context(recording(self.ledger, self._recorder))
        self.enter_context(self._counter)
        return self

    def refused(self, operator: str) -> None:
        """Take note of an operator that was called, and did not run."""
        self._counter.names.append(operator)

    def left(self, tensor, operator: str) -> None:
        """Count the elements of a tensor, which leave PyTorch by this operation."""
        self._counter.left(tensor, operator)

    def observations(self, tensors: list) -> Observations:
        """The counts so far. tensors: the tensor arguments of the call."""
        ledger, counter = self.ledger, self._counter
        read, written = ledger.totals()
        storages = [ledger.storages.hold(t) for t in tensors]
        return Observations(
            rows=ledger.rows()[:_MAX_ENTRIES],
            read=read,
            written=written,
            bytes=ledger.bytes(),
            launches=_telling(ledger.launches),
            torch_ops=_unique(counter.names),
            torch_reads=[counter.reads[storage] for storage in storages],
            torch_most=[counter.most[storage] for storage in storages],
            late_reads=[ledger.late[storage] for storage in storages],
            peak=ledger.storages.peak,
            language=_unique(ledger.language),
            panels=self._recorder.panels if self._recorder is not None else [],
            memory_requests=self._recorder.requests if isinstance(self._recorder, SectorCounter) else [],
            shared_requests=ledger.shared_requests,
            moves=ledger.moves()[:_MAX_ENTRIES] if self._call.requests else [],
        )


def _recorder(call: Call) -> Recorder | None:
    if not call.trace:
        return None
    return SectorCounter() if call.requests else Recorder()


def _telling(launches: list[Launch]) -> list[Launch]:
    """The launches to report, in order: of each specialisation the first, and others while there is room."""
    if len(launches) <= _MAX_ENTRIES:
        return launches
    first: dict[str, int] = {}
    for place, launch in enumerate(launches):
        special = launch.program, launch.signature, launch.constants, launch.options, launch.divisible
        first.setdefault(repr(special), place)
    places = dict.fromkeys([*list(first.values())[:_MAX_ENTRIES], *range(_MAX_ENTRIES)])
    return [launches[place] for place in sorted([*places][:_MAX_ENTRIES])]


def _unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))[:_MAX_ENTRIES]
