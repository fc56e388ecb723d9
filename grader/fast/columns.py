"""Softmax along a dimension that is not the last in memory, and its gradient, without a transposition.

A tensor whose strides are a permutation is outer × n × inner in memory; the n elements of a column are `inner` apart.
Columns that lie side by side are moved together: a program has a tile of some of them, whole or in steps along n.
"""

from __future__ import annotations

import triton
import triton.language as tl

from . import backward, rows
from .rows import LOG2_E


@triton.jit
def _place(n_tiles, OUTERS: tl.constexpr, COLS: tl.constexpr):
    """(index of the first of OUTERS outer parts, COLS columns) of tile program_id(0), of n_tiles a part."""
    part = tl.program_id(0) // n_tiles * OUTERS
    return part, tl.program_id(0) % n_tiles * COLS + tl.arange(0, COLS)


@triton.jit
def tile_kernel(
    y_ptr, x_ptr, n_outer, n, inner_units, n_tiles,
    UNIT: tl.constexpr, OUTERS: tl.constexpr, BLOCK: tl.constexpr, COLS: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Whole columns, at most BLOCK long, COLS of them in each of OUTERS outer parts: read once, written once.

    inner_units: elements from one to the next of a column, in units of UNIT.
    """
    part, cols = _place(n_tiles, OUTERS, COLS)
    parts = (part + tl.arange(0, OUTERS))[:, None, None]
    steps, cols = tl.arange(0, BLOCK)[None, :, None], cols[None, None, :]
    mask = (parts < n_outer) & (steps < n) & (cols < inner_units * UNIT)
    at = (parts.to(tl.int64) * n + steps) * inner_units * UNIT + cols
    x = tl.load(x_ptr + at, mask=mask, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=1)[:, None, :]
    e = tl.exp2((x - m) * LOG2_E)
    tl.store(y_ptr + at, rows.result(x, e, m, tl.sum(e, axis=1)[:, None, :], LOG), mask=mask)


@triton.jit
def tile_gradient_kernel(
    dx_ptr, y_ptr, dy_ptr, n_outer, n, inner_units, n_tiles,
    UNIT: tl.constexpr, OUTERS: tl.constexpr, BLOCK: tl.constexpr, COLS: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """The gradient of what tile_kernel stores."""
    part, cols = _place(n_tiles, OUTERS, COLS)
    parts = (part + tl.arange(0, OUTERS))[:, None, None]
    steps, cols = tl.arange(0, BLOCK)[None, :, None], cols[None, None, :]
    mask = (parts < n_outer) & (steps < n) & (cols < inner_units * UNIT)
    at = (parts.to(tl.int64) * n + steps) * inner_units * UNIT + cols
    y = tl.load(y_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
    total = tl.sum(backward.term(y, dy, LOG), axis=1)[:, None, :]
    tl.store(dx_ptr + at, backward.result(y, dy, total, LOG), mask=mask)


@triton.jit
def _piece(n, inner_units, n_tiles, n_pieces, length, UNIT: tl.constexpr, COLS: tl.constexpr):
    """(offset of a piece, its steps, its columns, their mask).

    Piece program_id(0) has `length` steps of COLS columns; the pieces of a tile of columns follow each other.
    """
    piece, tile = tl.program_id(0) % n_pieces, tl.program_id(0) // n_pieces
    part, cols = (tile // n_tiles).to(tl.int64), tile % n_tiles * COLS + tl.arange(0, COLS)
    begin = piece * length
    at = (part * n + begin) * inner_units * UNIT
    return at, tl.minimum(length, n - begin), cols, cols < inner_units * UNIT


@triton.jit
def states_kernel(
    states_ptr, x_ptr, n, inner_units, n_tiles, n_pieces, length,
    UNIT: tl.constexpr, STEPS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    """(m, d) of COLS columns over `length` steps of them, STEPS at once: all m, then all d, COLS for each program.

    The maximum is taken once for STEPS elements of a column, so that an element costs one exponential, and not two.
    """
    at, length, cols, there = _piece(n, inner_units, n_tiles, n_pieces, length, UNIT, COLS)
    steps = tl.arange(0, STEPS)[:, None]
    inside = steps.to(tl.int64) * inner_units * UNIT + cols[None, :]
    m, d = tl.full([COLS], -float("inf"), tl.float32), tl.zeros([COLS], tl.float32)
    further = tl.full([], STEPS, tl.int64) * inner_units * UNIT
    for begin in range(0, length, STEPS):
        mask = (begin + steps < length) & there[None, :]
        x = tl.load(x_ptr + at + inside, mask=mask, other=-float("inf")).to(tl.float32)
        at += further
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp2((m - shift) * LOG2_E) + tl.sum(tl.exp2((x - shift[None, :]) * LOG2_E), axis=0)
        m = new
    states_ptr += tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    tl.store(states_ptr, m)
    tl.store(states_ptr + tl.num_programs(0).to(tl.int64) * COLS, d)


@triton.jit
def apply_kernel(
    y_ptr, x_ptr, states_ptr, n, inner_units, n_tiles, n_pieces, length,
    UNIT: tl.constexpr, STEPS: tl.constexpr, COLS: tl.constexpr, PIECES: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Softmax of the same piece, from the states of all pieces of its columns."""
    at, length, cols, there = _piece(n, inner_units, n_tiles, n_pieces, length, UNIT, COLS)
    pieces = tl.arange(0, PIECES)[:, None]
    first = (tl.program_id(0) // n_pieces * n_pieces).to(tl.int64)
    states_ptr += (first + pieces) * COLS + tl.arange(0, COLS)[None, :]
    ms = tl.load(states_ptr, mask=pieces < n_pieces, other=-float("inf"))
    ds = tl.load(states_ptr + tl.num_programs(0).to(tl.int64) * COLS, mask=pieces < n_pieces, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp2((ms - m[None, :]) * LOG2_E), axis=0)[None, :]
    m = m[None, :]
    steps = tl.arange(0, STEPS)[:, None]
    inside = steps.to(tl.int64) * inner_units * UNIT + cols[None, :]
    tiles = (length + STEPS - 1) // STEPS
    for back in range(tiles):  # backwards: a cache still holds the elements that were read last
        begin = (tiles - 1 - back) * STEPS
        mask = (begin + steps < length) & there[None, :]
        place = at + begin.to(tl.int64) * inner_units * UNIT + inside
        x = tl.load(x_ptr + place, mask=mask, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + place, rows.result(x, tl.exp2((x - m) * LOG2_E), m, d, LOG), mask=mask)


@triton.jit
def sums_kernel(
    sums_ptr, y_ptr, dy_ptr, n, inner_units, n_tiles, n_pieces, length,
    UNIT: tl.constexpr, STEPS: tl.constexpr, COLS: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """The sums of COLS columns over a piece, of which the gradient is made: COLS for each program."""
    at, length, cols, there = _piece(n, inner_units, n_tiles, n_pieces, length, UNIT, COLS)
    steps = tl.arange(0, STEPS)[:, None]
    inside = steps.to(tl.int64) * inner_units * UNIT + cols[None, :]
    total = tl.zeros([COLS], tl.float32)
    further = tl.full([], STEPS, tl.int64) * inner_units * UNIT
    for begin in range(0, length, STEPS):
        mask = (begin + steps < length) & there[None, :]
        y = tl.load(y_ptr + at + inside, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + at + inside, mask=mask, other=0.0).to(tl.float32)
        at += further
        total += tl.sum(backward.term(y, dy, LOG), axis=0)
    tl.store(sums_ptr + tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS), total)


@triton.jit
def apply_gradient_kernel(
    dx_ptr, y_ptr, dy_ptr, sums_ptr, n, inner_units, n_tiles, n_pieces, length,
    UNIT: tl.constexpr, STEPS: tl.constexpr, COLS: tl.constexpr, PIECES: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """The gradient of the same piece, from the sums of all pieces of its columns."""
    at, length, cols, there = _piece(n, inner_units, n_tiles, n_pieces, length, UNIT, COLS)
    pieces = tl.arange(0, PIECES)[:, None]
    first = (tl.program_id(0) // n_pieces * n_pieces).to(tl.int64)
    sums_ptr += (first + pieces) * COLS + tl.arange(0, COLS)[None, :]
    total = tl.sum(tl.load(sums_ptr, mask=pieces < n_pieces, other=0.0), axis=0)[None, :]
    steps = tl.arange(0, STEPS)[:, None]
    inside = steps.to(tl.int64) * inner_units * UNIT + cols[None, :]
    tiles = (length + STEPS - 1) // STEPS
    for back in range(tiles):
        begin = (tiles - 1 - back) * STEPS
        mask = (begin + steps < length) & there[None, :]
        place = at + begin.to(tl.int64) * inner_units * UNIT + inside
        y = tl.load(y_ptr + place, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + place, mask=mask, other=0.0).to(tl.float32)
        tl.store(dx_ptr + place, backward.result(y, dy, total, LOG), mask=mask)
