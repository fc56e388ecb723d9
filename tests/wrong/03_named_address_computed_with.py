# exercise: 3.4
# mistake: address-computed-with
import triton

import triton.language as tl

@triton.jit
def repaired_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    """Double row program_id(0) of x into y, and touch nothing else. BLOCK is at least n_cols."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = x_ptr + row * row_stride + cols
    tl.store(y_ptr + row * row_stride + cols, 2 * x, mask=mask)
