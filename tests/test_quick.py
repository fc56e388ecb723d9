"""What goes straight to NumPy: the same values, types and errors as Triton's own way. Run with each Triton, too."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import itertools

import numpy as np
import pytest
from triton.language import core

from grader import interpreter
from grader.interpreter.fastpaths import FastPaths
from grader.interpreter.triton_private import private

interpreter.install()
PRIVATE = private()

SHAPES = ((), (1,), (4,), (1, 4), (4, 1), (4, 4), (2, 4), (1, 1))
TYPES = (
    (core.float32, np.float32),
    (core.float64, np.float64),
    (core.float16, np.float16),
    (core.int32, np.int32),
    (core.int64, np.int64),
    (core.uint32, np.uint32),
    (core.int8, np.int8),
    (core.int1, np.bool_),
    (core.int1, np.bool_, core.int32),  # what a comparison of integers yields
    (core.pointer_type(core.float32), np.uint64),
    (core.pointer_type(core.float16), np.uint64),
)
HELD = [-(2**31), 0, 1, 5, 2**31 - 1, -7, 3, 2], [np.inf, -0.0, 0.1, np.nan, 1e38, -np.inf, 1e-45, 7.25]
PLAIN = (
    0,
    1,
    -1,
    2**31 - 1,
    2**31,
    -(2**31),
    2**40,
    0.0,
    -0.0,
    0.1,
    1e38,
    1e39,
    1e-39,
    float("inf"),
    float("nan"),
    True,
)
NUMBERS = (*PLAIN, core.constexpr(3), core.constexpr(0.5), None)


def value(types, shape: tuple[int, ...], offset: int = 0):
    """A scalar or block of a type, with all that is hard about it."""
    count = int(np.prod(shape, dtype=int))
    dtype, numpy, label = (*types, types[0])[:3]
    held = HELD[issubclass(numpy, np.floating)]
    with np.errstate(all="ignore"):
        data = np.array([held[(i + offset) % len(held)] for i in range(count)]).astype(numpy).reshape(shape or (1,))
    return core.tensor(PRIVATE.Handle(data, label), core.block_type(dtype, list(shape)) if shape else dtype)


def outcome(function, *args):
    """All that can be told of a result, or the error."""
    try:
        with np.errstate(all="ignore"):
            result = function(*args, _semantic=PRIVATE.semantic)
    except Exception as error:
        return type(error), str(error)
    results = result if isinstance(result, tuple) else (result,)
    return [
        (r.type, r.dtype, r.handle.dtype, r.handle.data.dtype, r.handle.data.shape, r.handle.data.tobytes())
        for r in results
    ]


@pytest.fixture
def alone(monkeypatch):
    """Triton's operators without anything of the course's."""
    monkeypatch.delattr(PRIVATE.semantic, "broadcast_impl_value")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", sorted(set(FastPaths(PRIVATE).members()) - {"__getitem__"}))
def test_operators_do_what_tritons_do(name, alone):
    quick, own = FastPaths(PRIVATE).members()[name], getattr(core.tensor, name)
    others = [value(d, s, offset=3) for d in TYPES for s in SHAPES]
    others = [*NUMBERS] if name.startswith("__r") else [*others, *NUMBERS]  # Python asks a tensor on the left first
    for dtype, shape in itertools.product(TYPES, SHAPES):
        one = value(dtype, shape)
        for other in others:
            assert outcome(quick, one, other) == outcome(own, one, other), (name, dtype, shape, other)


def test_shapes_are_joined_as_triton_joins_them(alone):
    own = PRIVATE.semantic.broadcast_impl_value
    quick = FastPaths(PRIVATE).broadcast(own)
    values = [value(d, s) for d in TYPES for s in SHAPES]
    for one, other in itertools.product(values, values):
        got, expected = (outcome(lambda a, b, _semantic, f=f: f(a, b), one, other) for f in (quick, own))
        assert got == expected, (one.type, other.type)


def test_an_index_adds_axes_as_tritons_does(alone):
    quick, own = FastPaths(PRIVATE).members()["__getitem__"], core.tensor.__getitem__
    every = slice(None)
    keys = [None, every, (), (every, None), (None, every), (every, every), (None,), (every, None, every), (every, 0)]
    keys += [(slice(0, 2), None), (None, every, None), 0, (every, every, None), (core.constexpr(None), every)]
    for dtype, shape, key in itertools.product(TYPES, SHAPES, keys):
        one = value(dtype, shape)
        assert outcome(quick, one, key) == outcome(own, one, key), (dtype, shape, key)


@np.errstate(all="ignore")
def test_what_kernels_do_most_does_not_go_tritons_way():
    def refuse(*args, **kwargs):
        raise AssertionError("Triton's own way")

    quick = FastPaths(PRIVATE)
    float32, _, float16, int32, *_, pointers, _ = TYPES
    rows, cols = value(int32, (4, 1)), value(int32, (1, 4))
    block, pointer = value(float32, (4, 4)), value(pointers, ())
    add, less = quick._operator(refuse, np.add), quick._operator(refuse, np.less)
    both = quick._operator(refuse, np.bitwise_and)
    at = add(add(pointer, rows), cols)
    assert at.type == core.block_type(core.pointer_type(core.float32), [4, 4])
    mask = both(less(rows, 4), less(cols, value(int32, ())))
    assert mask.type == core.block_type(core.int1, [4, 4]) and mask.handle.data.dtype == bool
    for other in (block, value(float32, (4, 1)), value(float32, ()), 2, 0.5, core.constexpr(2.0)):
        assert quick._operator(refuse, np.divide)(block, other).type == block.type
    assert quick._indexing(refuse)(value(float32, (4,)), (slice(None), None)).type.shape == [4, 1]
    with pytest.raises(AssertionError, match="Triton's own way"):
        add(block, value(float16, (4, 4)))
