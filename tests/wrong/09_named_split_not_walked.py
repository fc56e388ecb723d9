# exercise: 9.1
# mistake: split-not-walked
import triton

import triton.language as tl

@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    """Store the state (m, d) of split program_id(1) of row program_id(0): its maximum, and the sum relative to it.

    m and d are matrices with n_splits columns. Split s begins at column s * split_size, and may end beyond the row.
    The state of a split without any number above -inf is (-inf, 0).
    """
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float('inf')
    d = 0.0
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)
