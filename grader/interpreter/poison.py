"""What masked lanes hold that a load left without a value: something that shows."""

from __future__ import annotations

import numpy as np


def fill(masked: np.ndarray, element, numpy_dtype) -> np.ndarray:
    """Values for the lanes that are masked; `masked` has the programs as its first axis, and each starts anew.

    element: Triton's dtype of the values. numpy_dtype: the function that gives NumPy's dtype for it.

    inf, -inf and NaN in turn, for integers 1 and the extremes. NaN alone would not do: tl.max and tl.min pass it over.
    1 is what a mask of integers calls true.
    """
    dtype = np.dtype(numpy_dtype(element))
    if element.is_bf16():
        values = np.array([0x7F80, 0xFF80, 0x7FC0], dtype)  # bfloat16 travels as uint16
    elif element.is_floating() and dtype.kind == "f":
        values = np.array([np.inf, -np.inf, np.nan], dtype)
    elif dtype.kind in "iu":
        values = np.array([1, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    else:
        values = np.array([True])
    lanes = masked.reshape(len(masked), -1)
    turn = (np.cumsum(lanes, axis=1) - 1) % len(values)
    return np.where(lanes, values[turn], np.zeros((), values.dtype)).astype(dtype).reshape(masked.shape)
