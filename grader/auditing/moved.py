"""The bytes that a call moves, tensor by tensor, beside the least that its inputs and results need."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from ..gpus import GPUS
from .one_run import Run


@dataclass(frozen=True)
class Moved:
    """The bytes of one tensor: read, written, and those of its distinct elements. given: whether it is an input."""

    name: str
    read: int
    written: int
    size: int
    given: bool = False

    def least(self) -> int:
        """The bytes of its elements, of an input that is stored to each way; fewer where fewer were moved."""
        read, written = min(self.read, self.size), min(self.written, self.size)
        return read + written if self.given else min(self.read + self.written, self.size)


@dataclass(frozen=True)
class Traffic:
    """The bytes of one call. tensors: its inputs and results. others: (read, written) of all other memory."""

    tensors: list[Moved]
    others: tuple[int, int]

    def total(self) -> int:
        """All bytes read and written."""
        return sum(each.read + each.written for each in self.tensors) + sum(self.others)

    def least(self) -> int:
        """The bytes that inputs and results need: those of each one moved once."""
        return sum(each.least() for each in self.tensors)

    def seconds(self, gpus: tuple[str, ...]) -> dict[str, float]:
        """{name of a GPU: seconds that the bytes take at the peak of its memory}, of those whose peak is known."""
        return {name: self.total() / bandwidth for name in gpus if (bandwidth := GPUS[name].bandwidth)}


def traffic(done: Run) -> Traffic:
    """The bytes of a run that ended well."""
    named = {done.arguments.names[i]: tensor for i, tensor in done.arguments.tensors().items()}
    inputs, count = {*named}, len(done.results)
    named |= {("result" if count == 1 else f"result {i}"): result for i, result in enumerate(done.results)}
    tensors, seen = [], set()
    for name, tensor in named.items():
        storage = tensor.untyped_storage().data_ptr()
        if storage not in seen:
            seen.add(storage)
            tensors.append(Moved(name, *done.bytes_of(tensor), _size(tensor), name in inputs))
    read, written = done.ledger.bytes()
    others = read - sum(each.read for each in tensors), written - sum(each.written for each in tensors)
    return Traffic(tensors, others)


def _size(tensor: torch.Tensor) -> int:
    """The bytes of the distinct elements: a stride of 0 repeats the same ones."""
    repeats = (1 if stride == 0 and n else n for n, stride in zip(tensor.shape, tensor.stride()))
    return math.prod(repeats) * tensor.element_size()
