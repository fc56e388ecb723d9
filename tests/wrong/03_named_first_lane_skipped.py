# exercise: 3.2
# mistake: first-lane-skipped
import triton

import triton.language as tl

@triton.jit
def copy_rows_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Copy row program_id(0) of x to y. Rows begin row_stride elements apart; BLOCK is at least n_cols."""
    row = tl.program_id(0)
    cols = 1 + tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask)
    tl.store(y_ptr + row * row_stride + cols, x, mask=mask)
