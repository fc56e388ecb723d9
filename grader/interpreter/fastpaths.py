"""What kernels do most, straight to NumPy: the same result without Triton's Python layer.

Triton looks up the types of both sides of a sum, casts, splats and broadcasts before it computes. Where both are
float32, int32 or int64 already, or one is a Python number that fits, or a pointer moves by integers, NumPy broadcasts
by the same rules. Whatever else comes along goes Triton's own way, which also says what is wrong with it.
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
    """The fast paths of one Triton, and the types of their results."""

    def __init__(self, private: Private):
        self._core, self._handle = private.core, private.Handle
        core = self._core
        # Types are told apart by identity: to compare two takes as long as to add two blocks.
        self._numbers = {id(core.float32): np.float32, id(core.int32): np.int32, id(core.int64): np.int64}
        self._floats = {id(core.float32): np.float32}
        self._truths = {id(core.int1): np.bool_}
        self._types: dict[tuple, tuple] = {}

    def members(self) -> dict:
        """{name of a member of tl.tensor: what to patch it with in place of Triton's own}."""
        found, tensor = {"__getitem__": self._indexing}, self._core.tensor
        for name, compute in (_ARITHMETIC | _COMPARISONS | _LOGIC).items():
            found[f"__{name}__"] = functools.partial(self._operator, compute=compute)
        for name, compute in _ARITHMETIC.items():
            found[f"__r{name}__"] = functools.partial(self._operator, compute=compute, swapped=True)
        return {name: make(getattr(tensor, name)) for name, make in found.items()}

    def broadcast(self, triton_way):
        """Two values in the shape of both, which Triton asks for before its other operations."""

        def broadcast(one, other):
            shape = _shape(one, other)
            sides = [shape and self._spread(value, shape) for value in (one, other)]
            return tuple(sides) if all(side is not None for side in sides) else triton_way(one, other)

        return broadcast

    def _indexing(self, triton_way):
        """block[:, None] and the like: each None is an axis of 1."""

        def index(block, key, _semantic=None):
            data, axes = block.handle.data, [s for s in key if s is not None] if type(key) is tuple else ()
            plain = all(type(s) is slice and s == _EVERYTHING for s in axes)
            if block.type is block.dtype or not plain or len(axes) != data.ndim:
                return triton_way(block, key, _semantic=_semantic)
            return self._tensor(data[key], block)

        return index

    def _operator(self, triton_way, compute, swapped: bool = False):
        """compute(one, other) where that is known to be all there is to do."""
        core, handle, truth = self._core, self._handle, compute in _COMPARISONS.values()
        numbers = self._numbers
        if compute is np.divide:
            numbers = self._floats  # integers are cast first
        elif compute in _LOGIC.values():
            numbers = self._truths
        moves = compute is np.add

        def operate(one, other, _semantic=None):
            number = numbers.get(id(one.dtype))
            sides = None
            if number is not None:
                sides = self._sides(one, other, number)
            elif moves and type(one.dtype) is core.pointer_type:
                sides = self._steps(one, other)
            if sides is None:
                return triton_way(one, other, _semantic=_semantic)
            left, right, kind = sides
            data = compute(right, left) if swapped else compute(left, right)
            if truth:
                kind = core.int1 if kind is one.dtype else self._block(core.int1, data.shape)
            # The stock interpreter, too, labels what a comparison yields with the type of its sides.
            return core.tensor(handle(data, one.handle.dtype), kind)

        return operate

    def _sides(self, one, other, number) -> tuple | None:
        """What NumPy is to compute with, and the type of a sum; None where that takes more than NumPy."""
        left = one.handle.data
        if left.dtype.type is not number:
            return None
        if type(other) is not self._core.tensor:
            right = self._constant(other, number)
            return None if right is None else (left, right, one.type)
        right = other.handle.data
        if other.dtype is not one.dtype or right.dtype.type is not number:
            return None
        kind = self._joint(one, other)
        return None if kind is None else (left, right, kind)

    def _steps(self, pointer, other) -> tuple | None:
        """The addresses of a pointer and how many bytes it moves; None as above."""
        width = max(1, pointer.dtype.element_ty.primitive_bitwidth // 8)
        if type(other) is not self._core.tensor:
            steps, kind = self._constant(other, np.int64), pointer.type
        else:
            steps, kind = other.handle.data, self._joint(pointer, other)
            if id(other.dtype) not in self._numbers or steps.dtype.kind != "i":
                return None
        if steps is None or kind is None:
            return None
        return pointer.handle.data, width * steps.astype(np.uint64), kind

    def _constant(self, value, number):
        """A Python number as NumPy's of that type, if Triton makes it one."""
        if type(value) is self._core.constexpr:
            value = value.value
        if type(value) is int and number is not np.bool_ and value in _INTS:
            return number(value)
        if (
            type(value) is float
            and number is np.float32
            and (_SMALLEST <= abs(value) <= _LARGEST or value in _INFINITE)
        ):
            return number(value)
        return None

    def _joint(self, one, other):
        """The type of one's elements in the shape of both."""
        if other.type is other.dtype:
            return one.type
        shape = _shape(one, other)
        if shape is None or (shape == one.handle.data.shape and one.type is not one.dtype):
            return shape and one.type
        return self._block(one.dtype, shape)

    def _spread(self, value, shape: tuple[int, ...]):
        """A block of that shape; None where NumPy needs help with it."""
        data = value.handle.data
        if value.type is not value.dtype:
            return value if data.shape == shape else self._tensor(np.broadcast_to(data, shape), value)
        if type(data) is not np.ndarray or data.dtype.type is not self._numbers.get(id(value.dtype)):
            return None
        return self._tensor(np.full(shape, data, data.dtype), value)

    def _tensor(self, data, like):
        """A block of the same type of elements."""
        return self._core.tensor(self._handle(data, like.handle.dtype), self._block(like.dtype, data.shape))

    def _block(self, dtype, shape: tuple[int, ...]):
        key = id(dtype), shape
        if key not in self._types:
            if len(self._types) == _MOST_TYPES:
                self._types.clear()
            self._types[key] = dtype, self._core.block_type(dtype, list(shape))  # dtype, so that its id stays its own
        return self._types[key][1]


def _shape(one, other) -> tuple[int, ...] | None:
    """The shape of both together; None for two scalars, and where they do not go together."""
    left, right = one.handle.data.shape, other.handle.data.shape
    if other.type is other.dtype:
        return None if one.type is one.dtype else left
    return right if one.type is one.dtype else _joint_shape(left, right)


@functools.lru_cache(maxsize=_MOST_TYPES)
def _joint_shape(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of two blocks of the same rank together."""
    if len(left) != len(right) or any(a != b and 1 not in (a, b) for a, b in zip(left, right)):
        return None
    return tuple(max(a, b) for a, b in zip(left, right))
