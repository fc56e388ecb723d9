# exercise: 3.3
# mistake: absolute-values
import triton

import triton.language as tl

@triton.jit
def row_max_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Store the maximum of row program_id(0) of x in y[program_id(0)]. BLOCK is at least n_cols."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=-float("inf"))
    tl.store(y_ptr + row, tl.max(tl.abs(x), axis=0))
