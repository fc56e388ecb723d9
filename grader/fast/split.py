"""Few long rows, in two launches: the states of all pieces, then their merge. Each element read twice, written once.

As in lesson 09, with the pieces of all rows in one line. No program waits for another of its launch, so any device will
do, and any number of programs.
"""

from __future__ import annotations

import triton
import triton.language as tl

from .rows import LOG2_E


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_pieces, BLOCK: tl.constexpr, OVERLAP: tl.constexpr):
    """The state (m, d) of piece program_id(0): BLOCK columns of one row."""
    if OVERLAP:  # lets the programs of the next launch start while these still run
        tl.extra.cuda.gdc_launch_dependents()
    piece = tl.program_id(0)
    cols = piece % n_pieces * BLOCK + tl.arange(0, BLOCK)
    row = (piece // n_pieces).to(tl.int64)
    # Whatever the cache can hold until the next launch need not come from memory again.
    x = tl.load(
        x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"), eviction_policy="evict_last"
    ).to(tl.float32)
    m = tl.max(x, axis=0)
    shift = tl.where(m == -float("inf"), 0.0, m)
    tl.store(m_ptr + piece, m)
    tl.store(d_ptr + piece, tl.sum(tl.exp2((x - shift) * LOG2_E), axis=0))


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_pieces, PIECES: tl.constexpr,
    BLOCK: tl.constexpr, OVERLAP: tl.constexpr,
):  # fmt: skip
    """Softmax of piece program_id(0), from the states of all pieces of its row."""
    piece = tl.program_id(0)
    cols = piece % n_pieces * BLOCK + tl.arange(0, BLOCK)
    row = (piece // n_pieces).to(tl.int64)
    x = tl.load(
        x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"), eviction_policy="evict_first"
    ).to(tl.float32)
    if OVERLAP:  # x was there before the launch that made the states; from here on it is over
        tl.extra.cuda.gdc_wait()
    lanes = tl.arange(0, PIECES)
    ms = tl.load(m_ptr + row * n_pieces + lanes, mask=lanes < n_pieces, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_pieces + lanes, mask=lanes < n_pieces, other=0.0)
    m = tl.max(ms, axis=0)
    scale = 1.0 / tl.sum(ds * tl.exp2((ms - m) * LOG2_E), axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp2((x - m) * LOG2_E) * scale, mask=cols < n_cols)
