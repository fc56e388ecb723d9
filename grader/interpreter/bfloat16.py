"""bfloat16 in the interpreter: the conversions of a GPU, and its arithmetic, or an error in place of that.

NumPy has no bfloat16. The stock interpreter stores its bits as 16-bit integers. A product or a comparison of two
bfloat16 values then computes with the bit patterns, without an error. Conversions truncate, and a GPU rounds to
nearest. The Triton dtype of a handle distinguishes bfloat16 from integers of 16 bits.

A GPU computes in float32 and rounds the result of each operation. Under the condition `bfloat16` the interpreter does
the same. Otherwise a kernel has to convert by itself, which loses fewer digits.
"""

from __future__ import annotations

import ctypes
import functools

import numpy as np

from ..sentence import fault, said
from .state import KernelMisuse, current
from .triton_private import Private


def hook(private: Private) -> None:
    """Hook the conversions, tl.dot, and all other operations that compute, which may refuse a bfloat16 value."""
    # Most operations go through the first three. The others have code of their own; some versions of Triton lack some.
    for name in ("binary_op", "unary_op", "ternary_op", "fma", "fabs", "rsqrt"):
        if (compute := getattr(private, name)) is not None:
            private.replace(name, _rounding(private, compute))
    _hook_dot(private)
    _hook_reductions(private)
    _hook_conversions(private)


def _rounding(private: Private, compute):
    Handle, float32, bfloat16, int1 = (
        private.Handle, private.language.float32, private.language.bfloat16, private.language.int1,
    )  # fmt: skip

    def widened(value):
        return Handle(_from_bits(value.data), float32) if _is_bfloat16(getattr(value, "dtype", None)) else value

    @functools.wraps(compute)
    def checked(self, *args, **kwargs):
        if current.launch is None or np.where in args:  # a selection moves bits and computes nothing
            return compute(self, *args, **kwargs)
        if not current.bfloat16:
            _refuse(said("this"), args)
        if not any(_is_bfloat16(getattr(each, "dtype", None)) for each in args):
            return compute(self, *args, **kwargs)
        result = compute(self, *map(widened, args), **kwargs)
        if result.data.dtype == np.bool_:
            return Handle(result.data, int1)
        return Handle(_to_bits(result.data), bfloat16)

    return checked


def _hook_reductions(private: Private) -> None:
    """Reductions such as tl.sum work on NumPy arrays directly. tl.max has converted its block before."""
    apply, float32, bfloat16 = private.reduce, private.language.float32, private.language.bfloat16

    def of(dtype, blocks, originals):
        pairs = zip(blocks, originals)
        return tuple(block.to(dtype) if _is_bfloat16(original.dtype) else block for block, original in pairs)

    @functools.wraps(apply)
    def checked(self, values, *args, **kwargs):
        blocks = values if isinstance(values, tuple) else (values,)
        handles = [block.handle for block in blocks if hasattr(block, "handle")]
        if current.launch is None or not any(_is_bfloat16(handle.dtype) for handle in handles):
            return apply(self, values, *args, **kwargs)
        if not current.bfloat16:
            _refuse(said("a reduction such as tl.sum"), handles)
        wide = of(float32, blocks, blocks)
        found = apply(self, wide if isinstance(values, tuple) else wide[0], *args, **kwargs)
        return of(bfloat16, found, blocks) if isinstance(found, tuple) else of(bfloat16, (found,), blocks)[0]

    private.replace("reduce", checked)


def _hook_dot(private: Private) -> None:
    """tl.dot takes blocks of bfloat16, as a GPU does: their products are exact in float32, and so is the sum's type.

    Of blocks of float32 it takes note where a GPU may round them to tf32, and does so itself under this condition.
    """
    if private.dot is None:
        return
    dot, Handle, float32 = private.dot, private.Handle, private.language.float32

    def widened(block):
        return Handle(_from_bits(block.data), float32) if _is_bfloat16(block.dtype) else block

    def narrowed(block):
        return Handle(_tf32(block.data), float32) if current.tf32 else block

    @functools.wraps(dot)
    def exact_dot(self, a, b, d, precision, *args, **kwargs):
        if a.dtype.scalar == float32 and str(precision).endswith(".TF32"):
            if current.launch is not None:
                current.launch.record.tf32 = True
            return dot(self, narrowed(a), narrowed(b), d, precision, *args, **kwargs)
        return dot(self, widened(a), widened(b), d, precision, *args, **kwargs)

    private.replace("dot", exact_dot)


def _refuse(what: str, handles) -> None:
    for handle in handles:
        if _is_bfloat16(getattr(handle, "dtype", None)):
            raise KernelMisuse(
                fault("bfloat16", "{what} computes with a bfloat16 value, which has to be float32 there", what=what)
            )


def _is_bfloat16(dtype) -> bool:
    """Whether a Triton dtype, or that of a block's elements, is bfloat16. By name: this runs for every operation."""
    return getattr(getattr(dtype, "scalar", None), "name", None) == "bf16"


def _hook_conversions(private: Private) -> None:
    cast, Handle, numpy_dtype = private.cast, private.Handle, private.numpy_dtype
    bfloat16 = private.language.bfloat16

    @functools.wraps(cast)
    def exact_cast(self, src, dst_type, *args, **kwargs):
        if _is_bfloat16(src.dtype) == _is_bfloat16(dst_type):
            return cast(self, src, dst_type, *args, **kwargs)
        if _is_bfloat16(dst_type):
            return Handle(_to_bits(src.data), dst_type.scalar)
        return Handle(_from_bits(src.data).astype(numpy_dtype(dst_type)), dst_type.scalar)

    private.replace("cast", exact_cast)
    if private.get_bf16 is None:  # before Triton 3.9 there is no bfloat16 constant
        get_fp32 = private.get_fp32
        private.replace("get_bf16", lambda self, value: exact_cast(self, get_fp32(self, value), bfloat16))


def add(addresses: np.ndarray, values: np.ndarray, mask: np.ndarray, bfloat16: bool) -> np.ndarray:
    """Add 16-bit floats to memory, lane by lane, as atomics do; the stock interpreter has no sum that overflows.

    addresses: real ones. values: float16, or the bits of bfloat16. Returns what was there, in the dtype of the values.
    """
    before = np.zeros(values.shape, values.dtype)
    for lane in np.flatnonzero(np.broadcast_to(mask, values.shape)):
        cell = np.frombuffer((ctypes.c_ubyte * 2).from_address(int(addresses.flat[lane])), values.dtype)
        before.flat[lane], term = cell[0], values.reshape(-1)[lane : lane + 1]
        cell[:] = _to_bits(_from_bits(cell) + _from_bits(term)) if bfloat16 else cell + term
    return before


def _tf32(data) -> np.ndarray:
    """float32 rounded to the 10 bits after the point that tf32 keeps; infinities and NaN stay."""
    bits = data.view(np.uint32)
    rounded = ((bits + 0x1000) & 0xFFFFE000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(data), rounded, data)


def _from_bits(data) -> np.ndarray:
    """The values of bits of bfloat16, in float32."""
    return (data.astype(np.uint32) << 16).view(np.float32)


def _to_bits(data) -> np.ndarray:
    """The bits of each value as bfloat16, in uint16: the upper half of the float32, rounded to nearest even.

    NaN stays NaN.
    """
    numbers = data.astype(np.float32)
    bits = numbers.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)
