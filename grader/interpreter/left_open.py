"""What Triton leaves open: a GPU may compute it in one way or another, and no kernel may depend on the way.

These are the lanes of a load or an atomic operation that no mask lets in, a conversion of a number that its type does
not have, a division of whole numbers by 0 or of the smallest one by -1, a shift by as many bits as there are, the order
of a reduction or a scan with a function of one's own, and that in which lanes come to an atomic operation; and what is
in open_lanes.py and addresses_as_numbers.py. Here each of them has two ways (Call.poison), and the record of a launch
notes that one was taken. So a result that is right in both ways depends on none.
"""

from __future__ import annotations

import ctypes
import functools
import zlib

import numpy as np

from ..sentence import fault
from . import poison
from .batching.array import BatchArray
from .state import KernelMisuse, current
from .triton_private import Private

_MOST = 1 << 16  # bytes of a tensor from which an order is drawn


def hook(private: Private) -> None:
    """Hook conversions, divisions, shifts, and reductions and scans with a function of one's own."""
    for name, undefined, usual in _UNDEFINED:
        if (method := getattr(private.Builder, name, None)) is not None:
            private.replace_method(name, _either(private, method, undefined, usual))
    private.replace("own_reduction", _reduced)
    private.replace("own_scan", _scanned)


def _either(private: Private, method, undefined, usual):
    """The method, with what is usual on GPUs in the undefined lanes of its result, or with poison the other way.

    undefined: from the operands to a bool array, or None. usual: from the operands and the dtype of the result to
    values.
    """
    bfloat16, float32 = private.language.bfloat16, private.language.float32

    @functools.wraps(method)
    def computed(self, one, other, *args, **kwargs):
        result = method(self, one, other, *args, **kwargs)
        given = self.cast_impl(one, float32) if one.dtype.scalar == bfloat16 else one
        lanes = undefined(given.data, getattr(other, "data", None), result.data.dtype)
        if lanes is None or not getattr(lanes, "values", lanes).any():
            return result
        current.took_a_way()
        if current.poison:
            instead = usual(given.data, result.data.dtype)
        elif isinstance(lanes, BatchArray):
            instead = BatchArray(poison.fill(lanes.values, result.dtype, private.numpy_dtype))
        else:
            instead = poison.fill(lanes[None], result.dtype, private.numpy_dtype)[0]
        return private.Handle(np.where(lanes, instead, result.data).astype(result.data.dtype), result.dtype)

    return computed


def _beyond(numbers, _, dtype: np.dtype):
    """The numbers that a type of integers does not have."""
    if numbers.dtype.kind != "f" or dtype.kind not in "iu":
        return None
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    wide = numbers.astype(np.float64)
    return ((wide > low - 1.0) & (wide < high + 1.0)) == False  # noqa: E712  NaN is neither


def _nearest(numbers, dtype: np.dtype):
    """The end of the type's range that is nearer, and 0 for NaN."""
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return np.where(numbers > 0.0, high, np.where(numbers < 0.0, low, 0))


def _undivided(number, divisor, dtype: np.dtype):
    """By 0; and the smallest number by -1, whose quotient the type does not have."""
    if dtype.kind not in "iu":
        return None
    return divisor == 0 if dtype.kind == "u" else (divisor == 0) | ((divisor == -1) & (number == np.iinfo(dtype).min))


def _too_far(_, bits, dtype: np.dtype):
    return (bits < 0) | (bits >= 8 * dtype.itemsize) if dtype.kind in "iu" else None


def _all_bits(_, dtype: np.dtype):
    return np.array(-1).astype(dtype)


def _no_bits(_, dtype: np.dtype):
    return np.array(0).astype(dtype)


# Method of the builder, which lanes of its result are undefined, and what they are on most GPUs.
_UNDEFINED = (
    *((f"create_fp_to_{kind}", _beyond, _nearest) for kind in ("si", "ui")),
    *((f"create_{kind}", _undivided, _all_bits) for kind in ("sdiv", "udiv", "srem", "urem")),
    *((f"create_{kind}", _too_far, _no_bits) for kind in ("shl", "lshr", "ashr")),
)


def _reduced(operation, given: tuple) -> list:
    """The blocks, reduced along the axis of `operation`, the stock ReduceOps. given: blocks of one shape.

    A GPU combines the lanes in any order. With poison it is drawn; else halves are combined, as by the lanes of a warp.
    """
    whole = given[0].handle.data.shape
    blocks, axis = operation.unravel(given, operation.axis)
    count = blocks[0].handle.data.shape[axis]
    order = np.arange(count) if (drawn := _draw(operation.combine_fn, count)) is None else drawn.permutation(count)
    parts = [_taken(block.handle.data, order, axis) for block in blocks]
    while count > 1:  # a power of two
        count //= 2
        halves = [[_taken(part, range(*ends), axis) for part in parts] for ends in ((count,), (count, 2 * count))]
        parts = _combined(operation, *halves, blocks)
    if operation.keep_dims:
        shape = tuple(1 if operation.axis in (None, place) else n for place, n in enumerate(whole))
    else:
        shape = tuple(n for place, n in enumerate(parts[0].shape) if place != axis)
    return [operation.to_tensor(part.reshape(shape), block.dtype) for part, block in zip(parts, blocks)]


def _scanned(operation, given: tuple) -> list:
    """The blocks, scanned along the axis of `operation`, the stock ScanOps: each lane grows to hold all up to it.

    A GPU groups the lanes in any way. With poison it is drawn which of them grow in a round; else all do.
    """
    axis, parts = operation.axis, [block.handle.data for block in given]
    at = np.arange(parts[0].shape[axis])
    drawn, held = _draw(operation.combine_fn, len(at)), np.ones_like(at)
    while (growing := held <= at).any():
        if drawn is not None:
            growing &= drawn.random(len(at)) < 0.5
        before = np.where(growing, at - held, at)
        grown = _combined(operation, [_taken(part, before, axis) for part in parts], parts, given)
        lanes = growing.reshape([-1 if place == axis else 1 for place in range(parts[0].ndim)])
        parts = [np.where(lanes, new, old) for new, old in zip(grown, parts)]
        held = np.where(growing, held + held[before], held)
    return [operation.to_tensor(part, block.dtype) for part, block in zip(parts, given)]


def _combined(operation, left: list, right: list, blocks: tuple) -> list:
    """What the function makes of two sides, lane by lane. blocks: those whose dtypes the sides have."""
    function = operation.combine_fn.rewrite()  # once; then it is kept
    given = [operation.to_tensor(part, block.dtype) for side in (left, right) for part, block in zip(side, blocks)]
    found = function(*given)
    found = found if isinstance(found, tuple) else (found,)
    if len(found) < len(left) or any(one is None for one in found):
        raise KernelMisuse(
            fault(
                "combines-too-few",
                "the function that combines gets {count} values from either side, and gives back {fewer}",
                count=len(left),
                fewer=sum(one is not None for one in found),
            )
        )
    data = [one.handle.data if hasattr(one, "handle") else np.array(one) for one in found]
    return [np.broadcast_to(one, part.shape).astype(part.dtype) for one, part in zip(data, left)]


def _draw(function, count: int) -> np.random.Generator | None:
    """What draws the order in which a function of one's own combines lanes; None for an order that is not drawn."""
    if function.fn.__module__.startswith("triton."):
        return None  # of the language itself: the order does not matter
    current.took_a_way()
    return drawn(count) if current.poison and current.launch is not None else None


def drawn(count: int) -> np.random.Generator:
    """What draws an order of as many lanes, or tensors: the same one throughout a launch."""
    if current.launch.seed is None:  # kept: programs change the numbers
        current.launch.seed = zlib.crc32(b"".join(map(_numbers, current.launch.memory.regions)))
    return np.random.default_rng(current.launch.seed + count)


def _numbers(region) -> bytes:
    """The first bytes of a tensor, as far as they lie together in real memory."""
    if not region.contiguous or region.sparse:
        return b""
    return ctypes.string_at(region.real, min(_MOST, region.numel * region.itemsize))


def _taken(data, which, axis: int):
    """The lanes with these numbers along an axis."""
    return data[(slice(None),) * axis + (np.asarray(which, int),)]
