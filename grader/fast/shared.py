"""Rows too long for one program, shared by several that run at the same time: each element read once, written once.

A row is cut into pieces. A program loads a piece, publishes its state (m, d), and stores its softmax once all states of
the row are published. Programs of a launch may wait for each other only if all of them run at once: the launch must be
cooperative. While a program waits for one row, it already loads its next piece.
"""

from __future__ import annotations

import triton
import triton.language as tl

from . import packed
from .rows import LOG2_E


@triton.jit
def _publish(states_ptr, piece, m, d):
    """Store (m, d) as one number of 64 bits, so that no program reads half of it.

    It is never 0: d is at least 1, or m is -inf.
    """
    upper = m.to(tl.int32, bitcast=True).to(tl.int64) << 32
    tl.atomic_xchg(states_ptr + piece, upper | (d.to(tl.int32, bitcast=True).to(tl.int64) & 4294967295), sem="relaxed")


@triton.jit
def _read(states_ptr, row, n_pieces, PIECES: tl.constexpr):
    lanes = tl.arange(0, PIECES)
    there = lanes < n_pieces
    return tl.load(states_ptr + row * n_pieces + lanes, mask=there, other=-1, volatile=True)


@triton.jit
def _merge(found, states_ptr, row, n_pieces, PIECES: tl.constexpr):
    """(m, d) of a row, from the states of all its pieces (found); loads them again until none is missing."""
    while tl.min((found != 0).to(tl.int32), axis=0) == 0:
        found = _read(states_ptr, row, n_pieces, PIECES)
    there = tl.arange(0, PIECES) < n_pieces
    ms = tl.where(there, (found >> 32).to(tl.int32).to(tl.float32, bitcast=True), -float("inf"))
    ds = tl.where(there, found.to(tl.int32).to(tl.float32, bitcast=True), 0.0)
    m = tl.max(ms, axis=0)
    return m, tl.sum(ds * tl.exp2((ms - m) * LOG2_E), axis=0)


@triton.jit
def shared_row_kernel(
    y_ptr, x_ptr, states_ptr, y_units, x_units, n_rows, n_units, n_pieces, piece_units,
    UNIT: tl.constexpr, PIECES: tl.constexpr, BLOCK: tl.constexpr, KIND: tl.constexpr, PTX: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """Softmax of every row; piece p of all n_rows * n_pieces goes to program p % programs.

    states_ptr: n_rows * n_pieces zeros of 64 bits. All lengths and strides are in units of UNIT words.
    """
    n_words, piece_words = n_units * UNIT, piece_units * UNIT
    inside = tl.arange(0, BLOCK)
    programs, end = tl.num_programs(0), n_rows * n_pieces
    piece = tl.program_id(0)
    at = piece % n_pieces * piece_words + inside
    mask = (inside < piece_words) & (at < n_words)
    word = packed.load(x_ptr + (piece // n_pieces).to(tl.int64) * x_units * UNIT + at, mask, KIND, "")
    m, d = packed.state(word, KIND, PTX)
    _publish(states_ptr, piece, m, d)
    for upcoming in range(piece + programs, end, programs):
        # The load of the next piece begins before this one is finished.
        at = upcoming % n_pieces * piece_words + inside
        mask = (inside < piece_words) & (at < n_words)
        next_word = packed.load(x_ptr + (upcoming // n_pieces).to(tl.int64) * x_units * UNIT + at, mask, KIND, "")
        # Computed again, and not kept from the last round: registers are the limit here.
        piece = upcoming - programs
        row = (piece // n_pieces).to(tl.int64)
        at = piece % n_pieces * piece_words + inside
        mask = (inside < piece_words) & (at < n_words)
        found = _read(states_ptr, row, n_pieces, PIECES)
        if KIND == "float":  # while the next piece is summed up, the last states of this row arrive
            next_m, next_d = packed.state(next_word, KIND, PTX)
            _publish(states_ptr, upcoming, next_m, next_d)
        m, d = _merge(found, states_ptr, row, n_pieces, PIECES)
        tl.store(y_ptr + row * y_units * UNIT + at, packed.softmax(word, m, d, KIND, PTX, LOG), mask=mask)
        if KIND != "float":  # half the bytes arrive in half the time: it is faster to store first
            next_m, next_d = packed.state(next_word, KIND, PTX)
            _publish(states_ptr, upcoming, next_m, next_d)
        word = next_word
    piece = tl.program_id(0) + (end - 1 - tl.program_id(0)) // programs * programs
    row = (piece // n_pieces).to(tl.int64)
    at = piece % n_pieces * piece_words + inside
    mask = (inside < piece_words) & (at < n_words)
    m, d = _merge(_read(states_ptr, row, n_pieces, PIECES), states_ptr, row, n_pieces, PIECES)
    tl.store(y_ptr + row * y_units * UNIT + at, packed.softmax(word, m, d, KIND, PTX, LOG), mask=mask)
