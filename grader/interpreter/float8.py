"""Numbers of 8 bits in the interpreter: the conversions of a GPU.

The stock interpreter loses the carry where a number rounds up to the next power of two, so that 125 becomes 64 and not
128, rounds halfway numbers away from even ones, and reads the bits of NaN as a number.
"""

from __future__ import annotations

import functools

import numpy as np

from .batching.array import BatchArray
from .triton_private import Private

# By Triton's name: bits of the mantissa, bias of the exponent, largest number. fp8e5 alone has infinities.
_FORMATS = {"fp8e4nv": (3, 7, 448.0), "fp8e5": (2, 15, 57344.0)}
_INFINITE = 65536.0
_SIGN, _NAN = 0x80, 0x7F


def hook(private: Private) -> None:
    """Hook the conversions from and to the two formats that PyTorch has too. Some versions of Triton lack them."""
    if private.fp_to_fp is None:
        return
    convert, Handle, float32 = private.fp_to_fp, private.Handle, private.language.float32

    @functools.wraps(convert)
    def exact(self, src, dst_type, rounding_mode=None, *args, **kwargs):
        read, written = (_FORMATS.get(kind.scalar.name) for kind in (src.dtype, dst_type))
        if read is not None:
            wide = Handle(_each(src.data, lambda bits: _from_bits(bits, *read)), float32)
            if dst_type.scalar.name == "fp32":
                return wide
            return private.cast(self, wide, dst_type) if written is None else exact(self, wide, dst_type, rounding_mode)
        if written is None or private.cast is None:
            return convert(self, src, dst_type, rounding_mode, *args, **kwargs)
        wide = private.cast(self, src, float32)
        to_zero = rounding_mode is not None and rounding_mode == getattr(private.ir.ROUNDING_MODE, "RTZ", None)
        return Handle(_each(wide.data, lambda numbers: _to_bits(numbers, *written, to_zero)), dst_type.scalar)

    private.replace("fp_to_fp", exact)


def _each(data, change):
    """A function of arrays applied to those of all programs."""
    return BatchArray(change(data.values)) if isinstance(data, BatchArray) else change(data)


def _to_bits(numbers: np.ndarray, mantissa: int, bias: int, largest: float, to_zero: bool) -> np.ndarray:
    """The bits of float32 numbers in uint8, rounded to nearest even or to zero. A larger one becomes the largest."""
    size = np.minimum(np.abs(np.nan_to_num(numbers, nan=0.0, posinf=largest, neginf=largest)), largest)
    exponent = np.where(size > 0, np.frexp(size)[1] - 1, 1 - bias)
    exponent = np.maximum(exponent, 1 - bias)  # below it, numbers are denormal
    steps = np.ldexp(size.astype(np.float64), mantissa - exponent)
    # The steps of a normal number have its leading bit, which adds one to the exponent; so has a carry.
    bits = ((exponent + bias - 1) << mantissa) + (np.floor(steps) if to_zero else np.rint(steps)).astype(np.int64)
    bits = np.where(np.isnan(numbers), _NAN, bits) | np.where(np.signbit(numbers), _SIGN, 0)
    return bits.astype(np.uint8)


def _from_bits(bits: np.ndarray, mantissa: int, bias: int, largest: float) -> np.ndarray:
    """The values of bits, in float32."""
    bits = bits.astype(np.int64) & 0xFF
    field, rest = (bits & _NAN) >> mantissa, bits & ((1 << mantissa) - 1)
    steps = np.where(field > 0, rest + (1 << mantissa), rest)
    values = np.ldexp(steps.astype(np.float64), np.maximum(field, 1) - bias - mantissa)
    values = np.where(values > largest, np.where(values == _INFINITE, np.inf, np.nan), values)
    return np.where(bits & _SIGN, -values, values).astype(np.float32)
