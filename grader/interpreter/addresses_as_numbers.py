"""Addresses that a kernel takes as whole numbers: where a tensor lies is left open, but for how it is aligned.

One way is the guard's own numbers, one window of addresses for each tensor. The other way is numbers as a GPU has them:
tensors of a launch lie close together, in an order that is drawn. Both keep the low bits of the real address. A number
that becomes an address again goes back the same way.
"""

from __future__ import annotations

import functools

import numpy as np

from .address_space import WINDOW_BITS, Region
from .batching.array import BatchArray
from .left_open import drawn
from .state import current
from .triton_private import Private

_FIRST = 0x7F2A_0000_0000  # about where CUDA's driver gives memory
_ALIGNED = 0x100  # bytes; below it, a guarded address has the bits of the real one
_GAP = 0x1000  # bytes between two tensors, at least


def hook(private: Private) -> None:
    """Hook the conversions between addresses and whole numbers."""
    for name, change in (("create_ptr_to_int", _as_number), ("create_int_to_ptr", _as_address)):
        if (method := getattr(private.Builder, name, None)) is not None:
            private.replace_method(name, _changed(private, method, change))


def _changed(private: Private, method, change):
    @functools.wraps(method)
    def converted(self, one, kind, *args, **kwargs):
        if current.launch is None:
            return method(self, one, kind, *args, **kwargs)
        current.took_a_way()
        if not current.poison and one.data.dtype.itemsize == 8:
            places = _places(current.launch.memory.regions)
            values = getattr(one.data, "values", one.data)
            moved = change(values.astype(np.uint64), places).astype(values.dtype)
            one = private.Handle(BatchArray(moved) if isinstance(one.data, BatchArray) else moved, one.dtype)
        return method(self, one, kind, *args, **kwargs)

    return converted


def _places(regions: list[Region]) -> list[tuple[int, int]]:
    """(guarded address, number) of the first element of each tensor, ascending by number."""
    places, free = [], _FIRST
    for number in drawn(len(regions)).permutation(len(regions)):
        region = regions[number]
        places.append((region.base, free + region.base % _ALIGNED))
        free += -(-(region.span() + _GAP) // _ALIGNED) * _ALIGNED
    return places


def _as_number(addresses: np.ndarray, places: list[tuple[int, int]]) -> np.ndarray:
    """Numbers for guarded addresses. What lies in no window stays. uint64 arrays of one shape."""
    numbers = addresses.copy()
    for guarded, number in places:
        inside = addresses >> np.uint64(WINDOW_BITS) == guarded >> WINDOW_BITS
        numbers[inside] = addresses[inside] + np.uint64((number - guarded) % 2**64)
    return numbers


def _as_address(numbers: np.ndarray, places: list[tuple[int, int]]) -> np.ndarray:
    """The guarded addresses of numbers: each belongs to the last tensor that begins below it."""
    addresses = numbers.copy()
    for guarded, number in places:
        above = numbers >= number
        addresses[above] = numbers[above] + np.uint64((guarded - number) % 2**64)
    return addresses
