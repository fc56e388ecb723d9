"""bfloat16 in the interpreter: conversions as a GPU does them, and a clear error in place of wrong arithmetic.

NumPy has no bfloat16. The stock interpreter carries its bits as 16-bit integers, so a product or a comparison computes
with the bit patterns and says nothing; it also cuts off what a GPU rounds to nearest. Integers of 16 bits are told
apart by their Triton dtype.
"""

from __future__ import annotations

import functools

import numpy as np

from .state import KernelMisuse, watch


def hook(stock) -> None:
    """Hook the conversions, and everything that computes."""
    builder = stock.InterpreterBuilder
    # Most operations go through these three; the others compute for themselves, and not every Triton has all of them.
    for name in ("binary_op", "unary_op", "ternary_op"):
        setattr(builder, name, _refusing(getattr(builder, name)))
    for name in ("create_fma", "create_fabs", "create_rsqrt", "create_dot"):
        if hasattr(builder, name):
            setattr(builder, name, _refusing(getattr(builder, name)))
    _hook_reductions(stock.ReduceScanOpInterface)
    _hook_conversions(builder, stock)


def _refusing(compute):
    @functools.wraps(compute)
    def checked(self, *args, **kwargs):
        if watch.in_kernel and np.where not in args:  # a selection moves bits and computes nothing
            _refuse("this", args)
        return compute(self, *args, **kwargs)

    return checked


def _hook_reductions(interface) -> None:
    """tl.sum and the like work on NumPy arrays directly; tl.max has converted its block by then."""
    apply = interface.apply

    @functools.wraps(apply)
    def checked(self, values, *args, **kwargs):
        blocks = values if isinstance(values, tuple) else (values,)
        if watch.in_kernel:
            _refuse("a reduction such as tl.sum", [b.handle for b in blocks if hasattr(b, "handle")])
        return apply(self, values, *args, **kwargs)

    interface.apply = checked


def _refuse(what: str, handles) -> None:
    for handle in handles:
        if _is_bfloat16(getattr(handle, "dtype", None)):
            raise KernelMisuse(f"{what} computes with a bfloat16 value, which has to be cast right after its load")


def _is_bfloat16(dtype) -> bool:
    """Asked for every operation of every program: so by name, which is quick."""
    return getattr(getattr(dtype, "scalar", None), "name", None) == "bf16"


def _hook_conversions(builder, stock) -> None:
    cast = builder.cast_impl

    @functools.wraps(cast)
    def exact_cast(self, src, dst_type, *args, **kwargs):
        if _is_bfloat16(src.dtype) == _is_bfloat16(dst_type):
            return cast(self, src, dst_type, *args, **kwargs)
        if _is_bfloat16(dst_type):
            return stock.TensorHandle(_to_bits(src.data), dst_type.scalar)
        data = (src.data.astype(np.uint32) << 16).view(np.float32)
        return stock.TensorHandle(data.astype(stock._get_np_dtype(dst_type)), dst_type.scalar)

    builder.cast_impl = exact_cast
    if not hasattr(builder, "get_bf16"):  # before Triton 3.9 there is no bfloat16 constant
        builder.get_bf16 = lambda self, value: self.cast_impl(self.get_fp32(value), stock.tl.bfloat16)


def _to_bits(data) -> np.ndarray:
    """The upper half of each float32, rounded to nearest, ties to even; NaN stays NaN."""
    numbers = data.astype(np.float32)
    bits = numbers.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)
