# exercise: 5.1
# mistake: row-added-twice
import triton

import triton.language as tl

@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0) of a matrix with n_cols columns. BLOCK is a power of two, at least n_cols."""
    # Where am I? This program's row, its lanes, and which of them lie inside the row (3 lines).
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row, once. What do masked lanes hold? (1 line)
    x = tl.load(x_ptr + 2 * row * x_row_stride + cols, mask=mask, other=-float("inf"))
    # The four lines of lesson 04.
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    # Store y to this program's row of the output (1 line).
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
