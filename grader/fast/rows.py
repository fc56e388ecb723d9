"""Rows that fit into one program: each element read once and written once."""

from __future__ import annotations

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LN_2 = tl.constexpr(0.6931471805599453)


@triton.jit
def result(x, e, m, d, LOG: tl.constexpr):
    """Softmax of numbers x, or its logarithm (LOG), from e = exp(x - m), the maximum m and the sum d of their row."""
    return (x - m) - tl.log2(d) * LN_2 if LOG else e * (1.0 / d)


@triton.jit
def tile_kernel(
    y_ptr, x_ptr, y_units, x_units, n_rows, n_units, UNIT: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """Softmax of an n_rows × (n_units · UNIT) matrix, ROWS rows per program. Strides are in units of UNIT elements."""
    # subtle: the multiplication shows the compiler that UNIT divides addresses and masks, so it loads 16 bytes at once
    n_cols = n_units * UNIT
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * x_units * UNIT + cols, mask=mask, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=1)[:, None]
    e = tl.exp2((x - m) * LOG2_E)
    y = result(x, e, m, tl.sum(e, axis=1)[:, None], LOG)
    tl.store(y_ptr + rows * y_units * UNIT + cols, y, mask=mask)


@triton.jit
def cut(first, n_cols, UNIT: tl.constexpr):
    """Cut a row that begins at element `first` into vectors of UNIT elements.

    Returns (element where the first whole vector begins, number of vectors, columns of the elements before and behind
    them in 2 * UNIT lanes, mask of these lanes).
    """
    begin = (first + UNIT - 1) // UNIT * UNIT
    before = (begin - first).to(tl.int32)
    vectors = tl.maximum(n_cols - before, 0) // UNIT
    lanes = tl.arange(0, 2 * UNIT)
    cols = tl.where(lanes < UNIT, lanes, before + vectors * UNIT + lanes - UNIT)
    return begin, vectors, cols, (cols < n_cols) & ((lanes >= UNIT) | (lanes < before))


@triton.jit
def odd_kernel(y_ptr, x_ptr, n_cols, VECTORS: tl.constexpr, UNIT: tl.constexpr, LOG: tl.constexpr):
    """Softmax of row program_id(0) of a contiguous matrix with rows of any alignment, 2 bytes per element.

    UNIT elements are 16 bytes. The elements between the first and the last 16-byte boundary of the row are moved in
    whole vectors, the few before and behind them one by one.
    """
    first = tl.program_id(0).to(tl.int64) * n_cols
    begin, vectors, cols, left = cut(first, n_cols, UNIT)
    vector = tl.arange(0, VECTORS)[:, None]
    inside = vector * UNIT + tl.arange(0, UNIT)[None, :]
    whole = tl.broadcast_to(vector < vectors, (VECTORS, UNIT))
    x = tl.load(x_ptr + begin + inside, mask=whole, other=-float("inf")).to(tl.float32)

    ends = tl.load(x_ptr + first + cols, mask=left, other=-float("inf")).to(tl.float32)

    m = tl.maximum(tl.max(tl.max(x, axis=1), axis=0), tl.max(ends, axis=0))
    e = tl.exp2((x - m) * LOG2_E)
    e_ends = tl.exp2((ends - m) * LOG2_E)
    d = tl.sum(tl.sum(e, axis=1), axis=0) + tl.sum(e_ends, axis=0)
    tl.store(y_ptr + begin + inside, result(x, e, m, d, LOG), mask=whole)
    tl.store(y_ptr + first + cols, result(ends, e_ends, m, d, LOG), mask=left)
