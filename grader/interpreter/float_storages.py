"""Storages that hold floating-point numbers, whatever dtype a tensor gives them.

Traffic is counted in elements of floating-point tensors. The same bytes seen as integers, as complex numbers or as
wider ones are the same numbers, and so are integers that were computed from them. So it is the storage that counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

# Operations whose integers are places or counts, and no numbers in another form: unless they are applied to the bits of
# numbers, for a few of them return what they are given.
_PLACES = frozenset(
    "max min argmax argmin aminmax sort argsort topk kthvalue median nanmedian mode cummax cummin nonzero searchsorted "
    "bucketize _unique2 unique_dim unique_consecutive count_nonzero bincount histc any all".split()
)


class FloatStorages:
    """The storages of floating-point numbers, by address, with the bytes of a number in each."""

    def __init__(self):
        self._bytes: dict[int, int] = {}

    def hold(self, tensor: torch.Tensor) -> None:
        """Take note of a tensor that just arrived or was just allocated."""
        if tensor.is_floating_point() or tensor.is_complex():
            self._bytes[_storage(tensor)] = _number(tensor)
        else:
            self._bytes.pop(_storage(tensor), None)

    def mark(self, storage: int, number: int) -> None:
        """From now on, a storage holds floating-point numbers. number: bytes of each."""
        self._bytes[storage] = number

    def share(self, storage: int, itemsize: int, floating: bool) -> float:
        """Floating-point numbers in an element: 1, 0 for integers, a fraction or more for a view of another width."""
        known = self._bytes.get(storage)
        return float(floating) if known is None else itemsize / known

    def share_of(self, tensor: torch.Tensor) -> float:
        """As `share`, for a tensor."""
        import torch  # here, since a process that only compiles kernels loads this module too

        if tensor.layout != torch.strided or tensor.is_meta:
            return float(tensor.is_floating_point())
        return self.share(_storage(tensor), tensor.element_size(), tensor.is_floating_point())

    def computed(self, operation: str, read: list[torch.Tensor], written: list[torch.Tensor], fresh: list) -> None:
        """Take note of an operation of PyTorch. read, written, fresh: its inputs, changed inputs and new tensors."""
        import torch

        for tensor in fresh:
            self.hold(tensor)
        bits = any(self.share_of(t) for t in read if not (t.is_floating_point() or t.is_complex()))
        for tensor in (*written, *fresh):
            if not bits and (tensor.dtype == torch.bool or operation in _PLACES):
                continue
            if _storage(tensor) not in self._bytes and (tensor.is_floating_point() or tensor.is_complex()):
                self.hold(tensor)  # an output that had to be enlarged lies elsewhere now
            # A wide element that two numbers were packed into stays two numbers.
            shares = [self.share_of(t) for t in read if t.dtype == tensor.dtype] + [1.0]
            shares = [share for share in shares if share]
            integer = not (tensor.is_floating_point() or tensor.is_complex())
            if integer and not any(map(self.share_of, read)):
                continue
            if integer or max(shares) > 1:
                self.mark(_storage(tensor), max(int(tensor.element_size() / max(shares)), 1))


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _number(tensor: torch.Tensor) -> int:
    return tensor.element_size() // (2 if tensor.is_complex() else 1)
