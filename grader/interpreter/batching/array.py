"""An array of many programs at once: what each of them would hold alone, with one axis more in front.

It is no ndarray, on purpose: the interpreter may do to it what is written down here, and anything else fails, so that
nothing can mix up the programs unnoticed. Whatever fails is run again one program at a time (scheduler.py). Shapes,
axes and sizes are those of one program; data that is the same for all programs stays an ordinary array.

Results are those of one program to the last bit. NumPy adds in an order that depends on how an array lies in memory,
so each program's part lies as its array would alone, with the programs as the slowest axis in front of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

MOST_LANES = 1 << 17  # of a batch's widest array: enough to make Python's part small, and it still fits into a cache


class Unbatchable(BaseException):
    """This cannot be done for many programs at once.

    No `except Exception` of a kernel or of Triton's may hold it; and it is counted, so that what catches it in spite
    of that, as extension modules do, hides nothing.
    """

    raised = 0

    def __init__(self, why: str):
        super().__init__(why)
        Unbatchable.raised += 1


class TooWide(Unbatchable):
    """Fewer programs at once would do. `lanes`: of one of them."""

    def __init__(self, lanes: int):
        super().__init__(f"{lanes} lanes a program are too many")
        self.lanes = lanes


class Diverged(Unbatchable):
    """The programs differ where Python wants one value. `values`: one a program."""

    def __init__(self, values: np.ndarray):
        super().__init__("the programs do not agree")
        self.values = values


class BatchArray(NDArrayOperatorsMixin):
    """`values` has the shape (programs, *shape of one program's array)."""

    __slots__ = ("values",)

    def __init__(self, values: np.ndarray):
        if values.size > MOST_LANES and len(values) > 1:
            raise TooWide(values[0].size)
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one program's array."""
        return self.values.shape[1:]

    @property
    def ndim(self) -> int:
        """Of one program's array."""
        return self.values.ndim - 1

    @property
    def size(self) -> int:
        """Of one program's array."""
        return math.prod(self.values.shape[1:])

    @property
    def dtype(self) -> np.dtype:
        """The elements' type."""
        return self.values.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.values.itemsize

    def astype(self, dtype) -> BatchArray:
        """A copy with elements of another type."""
        return BatchArray(self.values.astype(dtype))

    def view(self, dtype) -> BatchArray:
        """The same bits as elements of another type of that size."""
        if np.dtype(dtype).itemsize != self.itemsize:
            raise Unbatchable("a view that changes the shape")
        return BatchArray(self.values.view(dtype))

    def reshape(self, *shape) -> BatchArray:
        """Each program's array in another shape."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return BatchArray(self.values.reshape(len(self.values), *shape))

    def item(self):
        """The one value that all programs hold."""
        values = self.values.reshape(len(self.values), -1)
        if values.shape[1] != 1:
            raise ValueError("one number was asked of an array")
        first = values[0, 0]
        alike = values == first  # NaN agrees with nobody, which is on the safe side
        if values.dtype.kind == "f":
            alike &= np.signbit(values) == np.signbit(first)
        if not alike.all():
            raise Diverged(values[:, 0])
        return first.item()

    def __getitem__(self, key) -> BatchArray:
        key = key if isinstance(key, tuple) else (key,)
        return BatchArray(self.values[key if key[0] is Ellipsis else (slice(None), *key)])

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    __index__ = __int__

    def __float__(self) -> float:
        return float(self.item())

    def __getattr__(self, name):
        raise Unbatchable(name)

    def _refuse(self, *args, **kwargs):
        raise Unbatchable("Python or NumPy would take the programs for an axis, or show them all at once")

    __array__ = __iter__ = __len__ = __contains__ = __setitem__ = __hash__ = __repr__ = __str__ = _refuse

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or kwargs.keys() - {"dtype"}:
            raise Unbatchable(f"{ufunc.__name__}.{method}")
        if ufunc is np.matmul:
            return _products(inputs, kwargs)
        inputs = _aligned(inputs)
        _refuse_wide(inputs)
        return BatchArray(ufunc(*inputs, **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        known = _FUNCTIONS.get(function)
        if known is None:
            raise Unbatchable(function.__name__)
        return known(function, *args, **kwargs)


def everyone(data, programs: int, *shape: int) -> np.ndarray:
    """(programs, *shape): a batch's values; ordinary data is the same for each program. Nothing is copied."""
    return spread(data, shape).values if isinstance(data, BatchArray) else np.broadcast_to(data, (programs, *shape))


def spread(data: BatchArray, shape, dtype=None) -> BatchArray:
    """Each program's array broadcast to a shape. Nothing is copied."""
    values = data.values if dtype is None else data.values.astype(dtype, copy=False)
    values = values.reshape(len(values), *(1,) * (len(shape) - values.ndim + 1), *values.shape[1:])
    return BatchArray(np.broadcast_to(values, (len(values), *shape)))


def _aligned(arrays) -> list:
    """NumPy aligns shapes from the right: axes of 1 behind the programs keep these in front."""
    rank = max(np.ndim(a) if not isinstance(a, BatchArray) else a.ndim for a in arrays)
    return [
        a.values.reshape(len(a.values), *(1,) * (rank - a.ndim), *a.shape) if isinstance(a, BatchArray) else a
        for a in arrays
    ]


def _refuse_wide(arrays) -> None:
    """Before an operation takes the memory."""
    if len(arrays) > 1:
        shape = np.broadcast(*arrays).shape
        if math.prod(shape) > MOST_LANES and shape[0] > 1:
            raise TooWide(math.prod(shape[1:]))


def _products(factors, kwargs) -> BatchArray:
    """Matrix products, one after the other: which routine multiplies depends on how the matrices lie in memory."""
    programs = next(len(a.values) for a in factors if isinstance(a, BatchArray))
    lanes = math.prod(factors[0].shape[:-1]) * factors[1].shape[-1]
    if programs * lanes > MOST_LANES:
        raise TooWide(lanes)
    each = zip(*(everyone(a, programs, *a.shape) for a in factors))
    return BatchArray(np.stack([np.matmul(*pair, **kwargs) for pair in each]))


def _elementwise(function, *args) -> BatchArray:
    args = _aligned(args)
    _refuse_wide(args)
    return BatchArray(function(*args))


def _blank(function, a, dtype=None) -> np.ndarray:
    """ones_like and zeros_like: the same for all programs."""
    return {np.ones_like: np.ones, np.zeros_like: np.zeros}[function](a.shape, a.dtype if dtype is None else dtype)


def _expand_dims(function, a, axis) -> BatchArray:
    return BatchArray(np.expand_dims(a.values, axis + 1 if axis >= 0 else axis))


def _transpose(function, a, axes=None) -> BatchArray:
    axes = range(a.ndim)[::-1] if axes is None else axes
    return BatchArray(np.transpose(a.values, (0, *(1 + axis % a.ndim for axis in axes))))


def _joined(function, arrays, axis=0) -> BatchArray:
    """concatenate and stack."""
    programs = next(len(a.values) for a in arrays if isinstance(a, BatchArray))
    return BatchArray(function([everyone(a, programs, *a.shape) for a in arrays], axis=axis + 1 if axis >= 0 else axis))


def _along(function, a, axis=None, **kwargs) -> BatchArray:
    """Sums, maxima and the like. The order in which NumPy adds depends on how the array lies in memory.

    Along the last axis of an array without gaps it is that of one program alone; otherwise each program goes alone.
    """
    axis = axis if axis is None else axis % a.ndim
    if a.values.flags.c_contiguous and (axis == a.ndim - 1 or (axis is None and a.ndim == 1)):
        return BatchArray(function(a.values, axis=a.ndim, **kwargs))
    return BatchArray(np.stack([function(values, axis=axis, **kwargs) for values in a.values]))


_FUNCTIONS = {
    np.where: _elementwise,
    np.clip: _elementwise,
    np.ones_like: _blank,
    np.zeros_like: _blank,
    np.expand_dims: _expand_dims,
    np.broadcast_to: lambda function, a, shape: spread(a, tuple(shape)),
    np.transpose: _transpose,
    np.concatenate: _joined,
    np.stack: _joined,
    **dict.fromkeys((np.sum, np.max, np.min, np.nanmax, np.nanmin, np.argmax, np.argmin), _along),
    **dict.fromkeys((np.nanargmax, np.nanargmin, np.cumsum, np.cumprod), _along),
}
