"""Few long rows, in two launches: the states of all pieces, then their merge. Each element read twice, written once.

As in lesson 09, but the pieces of all rows have consecutive numbers. No program waits for another of its launch, so it
runs on any device, with any number of programs.
"""

from __future__ import annotations

import triton
import triton.language as tl

from . import packed
from .rows import LOG2_E


@triton.jit
def partial_kernel(
    states_ptr, x_ptr, x_units, n_units, n_pieces, UNIT: tl.constexpr, BLOCK: tl.constexpr, OVERLAP: tl.constexpr,
    KIND: tl.constexpr, PTX: tl.constexpr,
):  # fmt: skip
    """The state (m, d) of piece program_id(0): BLOCK words of a row. Lengths and strides are in units of UNIT words.

    states_ptr: one m for each program, then one d for each.
    """
    if OVERLAP:  # lets the programs of the next launch start while these still run
        tl.extra.cuda.gdc_launch_dependents()
    piece = tl.program_id(0)
    at = piece % n_pieces * BLOCK + tl.arange(0, BLOCK)
    row = (piece // n_pieces).to(tl.int64)
    word = packed.load(x_ptr + row * x_units * UNIT + at, at < n_units * UNIT, KIND, "")
    m, d = packed.state(word, KIND, PTX)
    tl.store(states_ptr + piece, m)
    tl.store(states_ptr + tl.num_programs(0) + piece, d)


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, states_ptr, y_units, x_units, n_units, n_pieces, UNIT: tl.constexpr, PIECES: tl.constexpr,
    BLOCK: tl.constexpr, OVERLAP: tl.constexpr, BACKWARDS: tl.constexpr, KIND: tl.constexpr, PTX: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """Softmax of piece program_id(0), from the states of all pieces of its row. BACKWARDS: counted from the last."""
    piece = tl.program_id(0)
    if BACKWARDS:
        piece = tl.num_programs(0) - 1 - piece
    at = piece % n_pieces * BLOCK + tl.arange(0, BLOCK)
    row = (piece // n_pieces).to(tl.int64)
    mask = at < n_units * UNIT
    # x is not needed after this: a cache may drop it first, which makes room for y.
    word = packed.load(x_ptr + row * x_units * UNIT + at, mask, KIND, "evict_first")
    if OVERLAP:  # x was complete before the first launch; behind this line the states are complete too
        tl.extra.cuda.gdc_wait()
    lanes = tl.arange(0, PIECES)
    states_ptr += row * n_pieces + lanes
    ms = tl.load(states_ptr, mask=lanes < n_pieces, other=-float("inf"))
    ds = tl.load(states_ptr + tl.num_programs(0), mask=lanes < n_pieces, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp2((ms - m) * LOG2_E), axis=0)
    tl.store(y_ptr + row * y_units * UNIT + at, packed.softmax(word, m, d, KIND, PTX, LOG), mask=mask)
