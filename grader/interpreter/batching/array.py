"""BatchArray: the arrays that many programs hold at the same point of a kernel, stacked along a new first axis.

Shapes, axes and sizes are those of one program, so the interpreter's code for one program also works on a batch. Data
that is the same for all programs (uniform data) stays an ordinary ndarray.

A BatchArray is not an ndarray, on purpose. It supports only the operations in this file. Every other operation raises
Unbatchable, so no operation can mix the programs up unnoticed. The scheduler then runs the programs one at a time.

Results equal those of one program bit by bit. The order in which NumPy adds depends on the layout in memory, so the
part of each program has the layout of its array in a run alone, and the axis of the programs is the slowest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

# Elements of the largest array of a pass, all programs together. Python's overhead is small at this size, and the array
# still fits into a cache.
MOST_LANES = 1 << 17


class Unbatchable(BaseException):
    """An operation that a pass of many programs cannot do. It ends the pass.

    A BaseException, so that no `except Exception` of a kernel or of Triton catches it. Extension modules may catch it
    all the same: the scheduler therefore compares `raised`, the number of these exceptions so far, before and after a
    pass.
    """

    raised = 0

    def __init__(self, why: str):
        super().__init__(why)
        Unbatchable.raised += 1


class TooWide(Unbatchable):
    """An array of more than MOST_LANES elements. A pass of fewer programs may succeed.

    lanes: elements of the array of one program.
    """

    def __init__(self, lanes: int):
        super().__init__(f"{lanes} lanes a program are too many")
        self.lanes = lanes


class Diverged(Unbatchable):
    """A value that differs between the programs is needed as one Python value, such as the condition of an `if`.

    values: array of shape (programs,), the value of each program.
    """

    def __init__(self, values: np.ndarray):
        super().__init__("the programs do not agree")
        self.values = values


class BatchArray(NDArrayOperatorsMixin):
    """The arrays of all programs of a pass.

    values: array of shape (programs, *shape), where `shape` is that of the array of one program. Raises TooWide.
    """

    __slots__ = ("values",)

    def __init__(self, values: np.ndarray):
        if values.size > MOST_LANES and len(values) > 1:
            raise TooWide(values[0].size)
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of one program."""
        return self.values.shape[1:]

    @property
    def ndim(self) -> int:
        """Number of axes of the array of one program."""
        return self.values.ndim - 1

    @property
    def size(self) -> int:
        """Number of elements of the array of one program."""
        return math.prod(self.values.shape[1:])

    @property
    def dtype(self) -> np.dtype:
        """Type of the elements."""
        return self.values.dtype

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.values.itemsize

    def astype(self, dtype) -> BatchArray:
        """A copy with elements of another type."""
        return BatchArray(self.values.astype(dtype))

    def view(self, dtype) -> BatchArray:
        """The same bits as elements of another type of the same size. Raises Unbatchable for another size."""
        if np.dtype(dtype).itemsize != self.itemsize:
            raise Unbatchable("a view that changes the shape")
        return BatchArray(self.values.view(dtype))

    def reshape(self, *shape) -> BatchArray:
        """The array of each program in another shape."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return BatchArray(self.values.reshape(len(self.values), *shape))

    def item(self):
        """The value of a scalar that is the same for all programs, as a Python number.

        Raises Diverged where the programs differ, and ValueError for more than one element per program.
        """
        values = self.values.reshape(len(self.values), -1)
        if values.shape[1] != 1:
            raise ValueError("one number was asked of an array")
        first = values[0, 0]
        equal = values == first  # NaN counts as different from NaN: the programs then run alone, which is always right
        if values.dtype.kind == "f":
            equal &= np.signbit(values) == np.signbit(first)
        if not equal.all():
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
            return _matmul(inputs, kwargs)
        inputs = _align_ranks(inputs)
        _refuse_wide(inputs)
        return BatchArray(ufunc(*inputs, **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        implementation = _FUNCTIONS.get(function)
        if implementation is None:
            raise Unbatchable(function.__name__)
        return implementation(function, *args, **kwargs)


def everyone(data, programs: int, *shape: int) -> np.ndarray:
    """The values of every program: array of shape (programs, *shape). A view, not a copy.

    data: a BatchArray, or an array or number that is the same for all programs.
    """
    return spread(data, shape).values if isinstance(data, BatchArray) else np.broadcast_to(data, (programs, *shape))


def spread(data: BatchArray, shape, dtype=None) -> BatchArray:
    """The array of each program broadcast to a shape. Copies only where `dtype` differs from that of the data."""
    values = data.values if dtype is None else data.values.astype(dtype, copy=False)
    values = values.reshape(len(values), *(1,) * (len(shape) - values.ndim + 1), *values.shape[1:])
    return BatchArray(np.broadcast_to(values, (len(values), *shape)))


def counters(start, stop=None, step=1) -> Iterator[BatchArray]:
    """The counters of a loop over range(start, stop, step), which differ between the programs. One element each.

    Raises Diverged where the programs do not have the same number of rounds, and ValueError for a step of 0.
    """
    start, stop = (0, start) if stop is None else (start, stop)
    programs = next(len(each.values) for each in (start, stop, step) if isinstance(each, BatchArray))
    start, stop, step = (everyone(each, programs, 1)[:, 0].astype(np.int64) for each in (start, stop, step))
    if not step.all():
        raise ValueError("range() arg 3 must not be zero")
    rounds = np.maximum(0, -((start - stop) // step))
    if (rounds != rounds[0]).any():
        raise Diverged(rounds)
    for number in range(rounds[0]):
        yield BatchArray((start + number * step)[:, None])


def _align_ranks(arrays) -> list:
    """The operands as arrays that NumPy can broadcast, with the programs on one common axis.

    NumPy aligns shapes from the right. Axes of length 1 after the axis of the programs keep this axis the first.
    """
    rank = max(np.ndim(a) if not isinstance(a, BatchArray) else a.ndim for a in arrays)
    return [
        a.values.reshape(len(a.values), *(1,) * (rank - a.ndim), *a.shape) if isinstance(a, BatchArray) else a
        for a in arrays
    ]


def _refuse_wide(arrays) -> None:
    """Raise TooWide if the result would be too large, before the operation allocates it."""
    if len(arrays) > 1:
        shape = np.broadcast(*arrays).shape
        if math.prod(shape) > MOST_LANES and shape[0] > 1:
            raise TooWide(math.prod(shape[1:]))


def _matmul(factors, kwargs) -> BatchArray:
    """Matrix products, one program after the other.

    NumPy chooses its routine by the layout of the matrices in memory, and the routines round differently. So each
    program gets the call that it would get alone.
    """
    programs = next(len(a.values) for a in factors if isinstance(a, BatchArray))
    lanes = math.prod(factors[0].shape[:-1]) * factors[1].shape[-1]
    if programs * lanes > MOST_LANES:
        raise TooWide(lanes)
    each = zip(*(everyone(a, programs, *a.shape) for a in factors))
    return BatchArray(np.stack([np.matmul(*pair, **kwargs) for pair in each]))


def _elementwise(function, *args) -> BatchArray:
    """where and clip."""
    args = _align_ranks(args)
    _refuse_wide(args)
    return BatchArray(function(*args))


def _filled_like(function, a, dtype=None) -> np.ndarray:
    """ones_like and zeros_like: an ordinary array, because it is the same for all programs."""
    return {np.ones_like: np.ones, np.zeros_like: np.zeros}[function](a.shape, a.dtype if dtype is None else dtype)


def _expand_dims(function, a, axis) -> BatchArray:
    return BatchArray(np.expand_dims(a.values, axis + 1 if axis >= 0 else axis))


def _transpose(function, a, axes=None) -> BatchArray:
    axes = range(a.ndim)[::-1] if axes is None else axes
    return BatchArray(np.transpose(a.values, (0, *(1 + axis % a.ndim for axis in axes))))


def _concatenated(function, arrays, axis=0) -> BatchArray:
    """concatenate and stack."""
    programs = next(len(a.values) for a in arrays if isinstance(a, BatchArray))
    return BatchArray(function([everyone(a, programs, *a.shape) for a in arrays], axis=axis + 1 if axis >= 0 else axis))


def _along_axis(function, a, axis=None, **kwargs) -> BatchArray:
    """Reductions and scans along an axis, such as sum, max and cumsum.

    The order in which NumPy adds depends on the layout in memory. Along the last axis of an array without gaps, the
    order for a batch is that for one program, so one call does all. In other cases there is a call for each program.
    """
    axis = axis if axis is None else axis % a.ndim
    if a.values.flags.c_contiguous and (axis == a.ndim - 1 or (axis is None and a.ndim == 1)):
        return BatchArray(function(a.values, axis=a.ndim, **kwargs))
    return BatchArray(np.stack([function(values, axis=axis, **kwargs) for values in a.values]))


# NumPy's functions that a BatchArray supports besides the ufuncs.
_FUNCTIONS = {
    np.where: _elementwise,
    np.clip: _elementwise,
    np.ones_like: _filled_like,
    np.zeros_like: _filled_like,
    np.expand_dims: _expand_dims,
    np.broadcast_to: lambda function, a, shape: spread(a, tuple(shape)),
    np.transpose: _transpose,
    np.concatenate: _concatenated,
    np.stack: _concatenated,
    **dict.fromkeys((np.sum, np.max, np.min, np.nanmax, np.nanmin, np.argmax, np.argmin), _along_axis),
    **dict.fromkeys((np.nanargmax, np.nanargmin, np.cumsum, np.cumprod), _along_axis),
}
