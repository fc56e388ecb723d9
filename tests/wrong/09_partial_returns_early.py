# exercise: 9.1
# mistake: empty-split-unstored
import triton

import triton.language as tl

@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """Store the state (m, d) of split program_id(1) of row program_id(0): its maximum, and the sum relative to it.

    m and d are matrices with n_splits columns. Split s begins at column s * split_size, and may end beyond the row.
    If a split has no number above -inf, its state is (-inf, 0).
    """
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, split_size, BLOCK):
        # Load the tile that begins `start` columns into the split (about 3 lines).
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        # Update the state, as in lesson 08 (about 4 lines).
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    # Store the state (2 lines).
    if m == -float("inf"):
        return
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)
