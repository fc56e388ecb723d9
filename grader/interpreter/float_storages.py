"""The storages of one session, from their birth to their release: which hold floating-point numbers, and how many live.

Traffic is counted in floating-point numbers. The same bytes seen as integers, as complex numbers or as wider ones are
the same numbers, and so are integers that were computed from them. So it is the storage that counts: whatever operator
makes whatever view of it, it holds numbers until it is released.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

NUMBER = 4  # bytes of a float32
# Operations whose integers are places or counts, and no numbers in another form: unless they are applied to the bits of
# numbers, for a few of them return what they are given.
_PLACES = frozenset(
    "max min argmax argmin aminmax sort argsort topk kthvalue median nanmedian mode cummax cummin nonzero _unique2 "
    "unique_dim unique_consecutive count_nonzero".split()
)


@dataclass
class _Storage:
    """A storage that is alive.

    name: no other storage of the session ever has it. unit: bytes of an element at its birth, NUMBER at most. elements:
    its size in these units. counted: how many of them count as alive; 0 for what a call was given.
    """

    name: int
    unit: int
    elements: int
    counted: int = 0
    watch: Any = None


class FloatStorages:
    """The storages of a session, by name.

    peak: the largest number of elements that were alive at once since `begin`, at any operation, without those that the
    call was given.
    """

    def __init__(self):
        self._alive: dict[int, _Storage] = {}  # by the address of PyTorch's object
        # By name: bytes of a number, where a storage holds, or held, numbers.
        self._widths: dict[int, int] = {}
        self._names = 0
        # Bytes of the narrowest and the widest number that the call deals with. An integer may be one of the narrowest.
        self._narrowest = self._widest = NUMBER
        self._counted, self.peak = 0, 0

    def begin(self, given: Iterable[torch.Tensor]) -> list[int]:
        """Begin a call. Returns the names of the storages of its arguments.

        given: its arguments. Any other storage that is alive was made, or kept, by the answer.
        """
        given = list(given)
        widths = [_number(tensor) for tensor in given if _floating(tensor)]
        self._narrowest, self._widest = min([NUMBER, *widths]), max([NUMBER, *widths])
        names = [self.hold(tensor) for tensor in given]
        for storage in [*self._alive.values()]:
            storage.counted = 0 if storage.name in names else storage.elements
        self._counted, self.peak = sum(storage.counted for storage in self._alive.values()), 0
        return names

    def hold(self, tensor: torch.Tensor, made: bool = False) -> int:
        """Take note of a tensor. Returns the name of its storage. made: whether a new storage counts as alive."""
        bytes_of = tensor.untyped_storage()
        storage = self._alive.get(bytes_of._cdata) or self._born(bytes_of, min(tensor.element_size(), NUMBER), made)
        if storage.name not in self._widths and _floating(tensor):
            self._widths[storage.name] = _number(tensor)
        elements = bytes_of.nbytes() // storage.unit
        if elements != storage.elements:  # PyTorch had to enlarge it
            self._count(storage, elements - storage.elements)
            storage.elements = elements
        self.peak = max(self.peak, self._counted)
        return storage.name

    def _born(self, bytes_of, unit: int, made: bool) -> _Storage:
        key = bytes_of._cdata
        self._names += 1
        storage = self._alive[key] = _Storage(self._names, unit, bytes_of.nbytes() // unit)
        # PyTorch keeps one Python object of a storage for as long as the storage is alive.
        storage.watch = weakref.ref(bytes_of, lambda _: self._released(key))
        if made:
            self._count(storage, storage.elements)
        return storage

    def _count(self, storage: _Storage, elements: int) -> None:
        storage.counted += elements
        self._counted += elements

    def _released(self, key: int) -> None:
        self._counted -= self._alive.pop(key).counted

    def mark(self, storage: int, itemsize: int) -> None:
        """From now on, a storage holds numbers, because its elements of this size may be numbers in another form."""
        self._widths[storage] = min(self._widths.get(storage, itemsize), itemsize, self._narrowest)

    def share(self, storage: int, itemsize: int, floating: bool) -> float:
        """Floating-point numbers in an element: 1, 0 for integers, a fraction or more for a view of another width.

        A floating-point element is one number at least. A wide one may be two, unless the call was given such.
        """
        width = self._widths.get(storage, 0)
        if floating:
            return max(itemsize / min(width or itemsize, self._widest), 1.0)
        return itemsize / min(width, self._narrowest) if width else 0.0

    def share_of(self, tensor: torch.Tensor) -> float:
        """As `share`, for a tensor."""
        return self.share(self.hold(tensor), tensor.element_size(), _floating(tensor))

    def computed(self, operation: str, read: list[torch.Tensor], numbers: int, results: list[torch.Tensor]) -> None:
        """Take note of an operation of PyTorch. numbers: how many it read. results: tensors that it changed or made."""
        shares = [self.share_of(tensor) for tensor in read]
        most = max(shares, default=0.0)
        if not most:
            return
        bits = any(share and not _floating(tensor) for share, tensor in zip(shares, read))
        for tensor in results:
            itemsize = tensor.element_size()
            if _floating(tensor):
                # Two numbers in a wide element stay two, as far as there is room for them.
                share = min(most, itemsize / self._narrowest)
                if share > self.share_of(tensor):
                    self._widths[self.hold(tensor)] = int(itemsize / share)
            elif bits or not (operation in _PLACES or _is_mask(tensor, numbers)):
                self.mark(self.hold(tensor), itemsize)


def _is_mask(tensor: torch.Tensor, numbers: int) -> bool:
    """Whether a tensor tells no more than one bit of each number that was read for it."""
    return str(tensor.dtype) == "torch.bool" and tensor.numel() <= numbers


def _floating(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _number(tensor: torch.Tensor) -> int:
    return tensor.element_size() // (2 if tensor.is_complex() else 1)
