"""Lanes that Triton leaves open: which of equal ones has the maximum, what NaN is beside numbers, and the order of
blocks that may be reordered.

With poison it is as the stock interpreter has it: the first of equal lanes, no NaN where there is a number, and lanes
in their order. The other way, it is the last of equal lanes, or one with NaN, and an order that is drawn.
"""

from __future__ import annotations

import functools

import numpy as np

from .batching.array import BatchArray
from .left_open import drawn
from .state import current
from .triton_private import Private


def hook(private: Private) -> None:
    """Hook argmax and argmin, and what may reorder: tl.cat, and tl.reshape with can_reorder."""
    if private.min_max is not None:
        private.replace("min_max", _either_place(private, private.min_max))
    if (cat := getattr(private.Builder, "create_cat", None)) is not None:
        private.replace_method("create_cat", _reordered(private, cat, lambda *_: True))
    if (reshape := getattr(private.Builder, "create_reshape", None)) is not None:
        private.replace_method("create_reshape", _reordered(private, reshape, lambda shape, reorders=False: reorders))


def _either_place(private: Private, min_max):
    @functools.wraps(min_max)
    def placed(self, value, extreme, place=None):
        found = min_max(self, value, extreme, place)
        if place is None or current.launch is None:
            return found
        block = value[0] if isinstance(value, tuple) else value
        data = block.handle.data
        numbers = data.values if isinstance(data, BatchArray) else np.asarray(data)[None]
        if self.axis is None:
            numbers = numbers.reshape(len(numbers), -1)
        axis = 1 if self.axis is None else (self.axis % (numbers.ndim - 1)) + 1
        lanes = _open(numbers, axis, min_max=extreme, any_of_equal="fast" in self.combine_fn.__name__)
        if not lanes.any():
            return found
        current.took_a_way()
        if current.poison:
            return found
        count = numbers.shape[axis]
        last = count - 1 - np.argmax(np.flip(lanes, axis), axis, keepdims=True)
        values, places = found if isinstance(found, tuple) else (None, found)
        stock = getattr(places.handle.data, "values", places.handle.data).reshape(last.shape)
        chosen = np.where(lanes.any(axis, keepdims=True), last, stock)
        places = _like(private, places, chosen)
        if values is None:
            return places
        return _like(private, values, np.take_along_axis(numbers, chosen, axis)), places

    return placed


def _open(numbers: np.ndarray, axis: int, min_max, any_of_equal: bool) -> np.ndarray:
    """Lanes that may have the place as well: those with NaN and, where two have the extreme, all that have it.

    numbers: of shape (programs, *shape). min_max: np.nanmax or np.nanmin, or None for one that has to be found.
    """
    lanes = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(numbers.shape, bool)
    if any_of_equal and min_max is not None:
        equal = numbers == min_max(numbers, axis=axis, keepdims=True)
        lanes |= equal & (equal.sum(axis, keepdims=True) > 1)
    return lanes


def _like(private: Private, block, numbers: np.ndarray):
    """A block with other values. numbers: of all programs, or of the only one, with as many values as the block."""
    data = block.handle.data
    if isinstance(data, BatchArray):
        made = BatchArray(numbers.reshape(data.values.shape).astype(data.dtype))
    else:
        made = numbers.reshape(data.shape).astype(data.dtype)
    return private.tensor(private.Handle(made, block.handle.dtype), block.type)


def _reordered(private: Private, method, reorders):
    """The method, with the lanes of its result in an order that is drawn, the other way."""

    @functools.wraps(method)
    def computed(self, one, *args, **kwargs):
        result = method(self, one, *args, **kwargs)
        if current.launch is None or not reorders(*args, **kwargs):
            return result
        current.took_a_way()
        if current.poison:
            return result
        data = result.data
        numbers = data.values if isinstance(data, BatchArray) else np.asarray(data)[None]
        flat = numbers.reshape(len(numbers), -1)
        mixed = flat[:, drawn(flat.shape[1]).permutation(flat.shape[1])].reshape(numbers.shape)
        return private.Handle(BatchArray(mixed) if isinstance(data, BatchArray) else mixed[0], result.dtype)

    return computed
