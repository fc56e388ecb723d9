"""Fast paths for the most frequent operations of kernels: NumPy directly, without Triton's Python layer.

Before an operation, Triton looks up the types of both operands, casts, splats and broadcasts. NumPy broadcasts by the
same rules in three cases: both operands have the same type, one of float32, int32 and int64; or one of them is a Python
number that fits this type; or integers are added to a pointer. All other cases go to Triton's own method, which also
raises the errors. The results are the same.
"""

from __future__ import annotations

import functools

import numpy as np

from .triton_private import Private

_INTS = range(-(2**31), 2**31)
_SMALLEST, _LARGEST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
_INFINITE = (float("inf"), -float("inf"))
_EVERYTHING = slice(None)
_MOST_TYPES = 4096
_ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide}
_LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or}
_COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


class FastPaths:
    """The fast paths for one version of Triton, with a cache of the block types of their results."""

    def __init__(self, private: Private):
        self._core, self._handle = private.core, private.Handle
        core = self._core
        # Types are compared by identity: a comparison by value takes as long as the addition of two blocks.
        self._numbers = {id(core.float32): np.float32, id(core.int32): np.int32, id(core.int64): np.int64}
        self._floats = {id(core.float32): np.float32}
        self._booleans = {id(core.int1): np.bool_}
        self._types: dict[tuple, tuple] = {}

    def members(self) -> dict:
        """{name of a member of tl.tensor: the function that replaces Triton's own}."""
        found, tensor = {"__getitem__": self._indexing}, self._core.tensor
        for name, compute in (_ARITHMETIC | _COMPARISONS | _LOGIC).items():
            found[f"__{name}__"] = functools.partial(self._operator, compute=compute)
        for name, compute in _ARITHMETIC.items():
            found[f"__r{name}__"] = functools.partial(self._operator, compute=compute, swapped=True)
        return {name: make(getattr(tensor, name)) for name, make in found.items()}

    def broadcast(self, stock):
        """A replacement of Triton's broadcast of two values to their common shape. stock: Triton's function."""

        def broadcast(one, other):
            shape = _common_shape(one, other)
            operands = [shape and self._broadcast_value(value, shape) for value in (one, other)]
            return tuple(operands) if all(side is not None for side in operands) else stock(one, other)

        return broadcast

    def _indexing(self, stock):
        """A replacement of __getitem__ for keys of `:` and None, such as block[:, None]: each None is an axis of 1."""

        def index(block, key, _semantic=None):
            data, axes = block.handle.data, [s for s in key if s is not None] if type(key) is tuple else ()
            plain = all(type(s) is slice and s == _EVERYTHING for s in axes)
            if block.type is block.dtype or not plain or len(axes) != data.ndim:
                return stock(block, key, _semantic=_semantic)
            return self._tensor(data[key], block)

        return index

    def _operator(self, stock, compute, swapped: bool = False):
        """A replacement of a binary operator: compute(left, right) in the three cases, `stock` in all others.

        compute: a ufunc. swapped: for reflected operators such as __rsub__.
        """
        core, handle, is_comparison = self._core, self._handle, compute in _COMPARISONS.values()
        numbers = self._numbers
        if compute is np.divide:
            numbers = self._floats  # integers are cast first
        elif compute in _LOGIC.values():
            numbers = self._booleans
        is_addition = compute is np.add

        def operate(one, other, _semantic=None):
            number_type = numbers.get(id(one.dtype))
            operands = None
            if number_type is not None:
                operands = self._operands(one, other, number_type)
            elif is_addition and type(one.dtype) is core.pointer_type:
                operands = self._pointer_operands(one, other)
            if operands is None:
                return stock(one, other, _semantic=_semantic)
            left, right, kind = operands
            data = compute(right, left) if swapped else compute(left, right)
            if is_comparison:
                kind = core.int1 if kind is one.dtype else self._block(core.int1, data.shape)
            # As in the stock interpreter, the handle of a comparison's result has the dtype label of its operands.
            return core.tensor(handle(data, one.handle.dtype), kind)

        return operate

    def _operands(self, one, other, number_type) -> tuple | None:
        """(left data, right data, type of the result) of two numbers; None where NumPy alone is not enough."""
        left = one.handle.data
        if left.dtype.type is not number_type:
            return None
        if type(other) is not self._core.tensor:
            right = self._constant(other, number_type)
            return None if right is None else (left, right, one.type)
        right = other.handle.data
        if other.dtype is not one.dtype or right.dtype.type is not number_type:
            return None
        kind = self._result_type(one, other)
        return None if kind is None else (left, right, kind)

    def _pointer_operands(self, pointer, other) -> tuple | None:
        """(addresses, offsets in bytes, type of the result) of pointer + other; None as for `_operands`."""
        width = max(1, pointer.dtype.element_ty.primitive_bitwidth // 8)
        if type(other) is not self._core.tensor:
            steps, kind = self._constant(other, np.int64), pointer.type
        else:
            steps, kind = other.handle.data, self._result_type(pointer, other)
            if id(other.dtype) not in self._numbers or steps.dtype.kind != "i":
                return None
        if steps is None or kind is None:
            return None
        return pointer.handle.data, width * steps.astype(np.uint64), kind

    def _constant(self, value, number_type):
        """A Python number as a NumPy scalar of number_type; None where Triton would choose another type for it."""
        if type(value) is self._core.constexpr:
            value = value.value
        if type(value) is int and number_type is not np.bool_ and value in _INTS:
            return number_type(value)
        if (
            type(value) is float
            and number_type is np.float32
            and (_SMALLEST <= abs(value) <= _LARGEST or value in _INFINITE)
        ):
            return number_type(value)
        return None

    def _result_type(self, one, other):
        """The type of a result with the elements of `one` and the common shape; None where the shapes do not fit."""
        if other.type is other.dtype:
            return one.type
        shape = _common_shape(one, other)
        if shape is None or (shape == one.handle.data.shape and one.type is not one.dtype):
            return shape and one.type
        return self._block(one.dtype, shape)

    def _broadcast_value(self, value, shape: tuple[int, ...]):
        """The value broadcast to a shape, as a block; None where NumPy alone is not enough."""
        data = value.handle.data
        if value.type is not value.dtype:
            return value if data.shape == shape else self._tensor(np.broadcast_to(data, shape), value)
        if type(data) is not np.ndarray or data.dtype.type is not self._numbers.get(id(value.dtype)):
            return None
        return self._tensor(np.full(shape, data, data.dtype), value)

    def _tensor(self, data, like):
        """A block with the element type of `like`. data: ndarray."""
        return self._core.tensor(self._handle(data, like.handle.dtype), self._block(like.dtype, data.shape))

    def _block(self, dtype, shape: tuple[int, ...]):
        key = id(dtype), shape
        if key not in self._types:
            if len(self._types) == _MOST_TYPES:
                self._types.clear()
            self._types[key] = (
                dtype,
                self._core.block_type(dtype, list(shape)),
            )  # the dtype too, so that no other object gets its id
        return self._types[key][1]


def _common_shape(one, other) -> tuple[int, ...] | None:
    """The shape of two values after broadcasting; None for two scalars, and for shapes that do not fit."""
    left, right = one.handle.data.shape, other.handle.data.shape
    if other.type is other.dtype:
        return None if one.type is one.dtype else left
    return right if one.type is one.dtype else _broadcast_shape(left, right)


@functools.lru_cache(maxsize=_MOST_TYPES)
def _broadcast_shape(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of two blocks after broadcasting; None for different ranks, and for shapes that do not fit."""
    if len(left) != len(right) or any(a != b and 1 not in (a, b) for a, b in zip(left, right)):
        return None
    return tuple(max(a, b) for a, b in zip(left, right))
