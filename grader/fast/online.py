"""Online softmax (Milakov and Gimelshein 2018, arXiv 1805.02867), for rows of any length on any device.

Two walks in tiles: each element is read twice.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .rows import LOG2_E, cut, result


@triton.jit
def _join(m, d, other_m, other_d):
    """The merged state (m, d) of two parts, elementwise on blocks of states."""
    new = tl.maximum(m, other_m)
    shift = tl.where(new == -float("inf"), 0.0, new)
    return new, d * tl.exp2((m - shift) * LOG2_E) + other_d * tl.exp2((other_m - shift) * LOG2_E)


@triton.jit
def online_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, VECTORS: tl.constexpr, UNIT: tl.constexpr, LOG: tl.constexpr
):  # fmt: skip
    """Softmax of row program_id(0), in tiles of VECTORS times UNIT elements.

    UNIT elements are one vector. The walks cover the whole vectors of a row; the few elements before and behind them
    are moved one by one. For that the rows of x and y must have the same alignment; with UNIT = 1 they may have any.
    Every lane keeps a state of its own; the states are merged once, between the walks.
    """
    first = tl.program_id(0).to(tl.int64) * x_row_stride
    begin, vectors, cols, left = cut(first, n_cols, UNIT)
    y_begin = (tl.program_id(0).to(tl.int64) * y_row_stride + UNIT - 1) // UNIT * UNIT

    ends = tl.load(x_ptr + first + cols, mask=left, other=-float("inf")).to(tl.float32)
    m = tl.max(ends, axis=0)
    d = tl.sum(tl.exp2((ends - tl.where(m == -float("inf"), 0.0, m)) * LOG2_E), axis=0)

    vector = tl.arange(0, VECTORS)[:, None]
    inside = vector * UNIT + tl.arange(0, UNIT)[None, :]
    ms = tl.full([VECTORS, UNIT], -float("inf"), tl.float32)
    ds = tl.zeros([VECTORS, UNIT], tl.float32)
    for start in range(0, vectors, VECTORS):
        whole = tl.broadcast_to(start + vector < vectors, (VECTORS, UNIT))
        at = begin + start * UNIT + inside
        x = tl.load(x_ptr + at, mask=whole, other=-float("inf")).to(tl.float32)
        ms, ds = _join(ms, ds, x, 1.0)
    top = tl.max(tl.max(ms, axis=1), axis=0)
    shift = tl.where(top == -float("inf"), 0.0, top)
    m, d = _join(m, d, top, tl.sum(tl.sum(ds * tl.exp2((ms - shift) * LOG2_E), axis=1), axis=0))
    y_ends = result(ends, tl.exp2((ends - m) * LOG2_E), m, d, LOG)
    tl.store(y_ptr + y_begin - (begin - first) + cols, y_ends, mask=left)
    last = (tl.maximum(vectors, 1) - 1) // VECTORS * VECTORS
    for back in range(0, vectors, VECTORS):  # backwards: a cache still holds the elements that were read last
        start = last - back
        whole = tl.broadcast_to(start + vector < vectors, (VECTORS, UNIT))
        x = tl.load(x_ptr + begin + start * UNIT + inside, mask=whole, other=-float("inf")).to(tl.float32)
        y = result(x, tl.exp2((x - m) * LOG2_E), m, d, LOG)
        tl.store(y_ptr + y_begin + start * UNIT + inside, y, mask=whole)
