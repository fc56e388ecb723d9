"""Rows that are a little longer than a power of two, as two blocks: that power of two, and the rest.

One block would be nearly twice as long as the row, and nearly half of its registers would be empty.
"""

from __future__ import annotations

import triton
import triton.language as tl

from . import packed


@triton.jit
def two_blocks_kernel(
    y_ptr, x_ptr, y_units, x_units, n_units, UNIT: tl.constexpr, BLOCK: tl.constexpr, REST: tl.constexpr,
    KIND: tl.constexpr, PTX: tl.constexpr, LOG: tl.constexpr,
):  # fmt: skip
    """Softmax of row program_id(0): BLOCK words without a mask, and up to REST more.

    Lengths and strides are in units of UNIT words. Read once, written once.
    """
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * x_units * UNIT
    y_ptr += row * y_units * UNIT
    body, end = tl.arange(0, BLOCK), BLOCK + tl.arange(0, REST)
    there = end < n_units * UNIT
    first = packed.load(x_ptr + body, None, KIND, "")
    last = packed.load(x_ptr + end, there, KIND, "")
    m = tl.maximum(packed.largest(first, KIND, PTX), packed.largest(last, KIND, PTX))
    d = packed.total(first, m, KIND) + packed.total(last, m, KIND)
    tl.store(y_ptr + body, packed.softmax(first, m, d, KIND, PTX, LOG))
    tl.store(y_ptr + end, packed.softmax(last, m, d, KIND, PTX, LOG), mask=there)
