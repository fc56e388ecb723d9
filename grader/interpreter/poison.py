"""Poison: values for the masked lanes of a load without `other`, whose use shows in the result."""

from __future__ import annotations

import ctypes

import numpy as np

from ..spec.unstored import MARKS


def fill(masked: np.ndarray, element, numpy_dtype) -> np.ndarray:
    """An array of the shape of `masked` with poison where it is true, and 0 elsewhere.

    masked: bool array of shape (programs, *shape). element: Triton's dtype of the values. numpy_dtype: the function
    from a Triton dtype to the NumPy dtype of its data.

    The values are inf, -inf and NaN in turn, and for integers 1, the largest and the smallest one; each program starts
    with the first of them. NaN alone is not enough, because tl.max and tl.min ignore it. 1 is there for integers that
    serve as a mask.
    """
    dtype = np.dtype(numpy_dtype(element))
    if element.is_bf16():
        values = np.array([0x7F80, 0xFF80, 0x7FC0], dtype)  # the interpreter holds bfloat16 as uint16
    elif element.is_floating() and dtype.kind == "f":
        values = np.array([np.inf, -np.inf, np.nan], dtype)
    elif dtype.kind in "iu":
        values = np.array([1, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    else:
        values = np.array([True])
    lanes = masked.reshape(len(masked), -1)
    turn = (np.cumsum(lanes, axis=1) - 1) % len(values)
    return np.where(lanes, values[turn], np.zeros((), values.dtype)).astype(dtype).reshape(masked.shape)


def stored(values: np.ndarray, element) -> np.ndarray:
    """The values of a store, with the second mark of unstored memory for the first. element: Triton's dtype of them."""
    integers, never, loaded = _marks(element, values.dtype)
    if not integers:
        return values
    marked = values.view(integers) == never
    return np.where(marked, np.array(loaded, integers).view(values.dtype), values) if marked.any() else values


def added(addresses: np.ndarray, mask: np.ndarray, element, numpy_dtype) -> None:
    """After an atomic operation: give memory that still has the first mark the second one. addresses: real ones."""
    dtype = np.dtype(numpy_dtype(element))
    # The maximum of floats is taken as that of integers with the same bits.
    floats = f"float{8 * dtype.itemsize}" if dtype.kind in "iu" and dtype.itemsize > 2 else ""
    integers, never, loaded = MARKS.get(floats) or _marks(element, dtype)
    if integers:
        kind = getattr(ctypes, f"c_{integers}")
        for address in addresses[np.broadcast_to(mask, addresses.shape)].tolist():
            if (cell := kind.from_address(address)).value == never:
                cell.value = loaded


def _marks(element, dtype: np.dtype) -> tuple[str, int, int]:
    return MARKS.get("bfloat16" if element.is_bf16() else dtype.name if element.is_floating() else "", ("", 0, 0))
