# exercise: 8.3
# mistake: range-for-a-block
import triton

import triton.language as tl

@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), in tiles of BLOCK columns: two walks, for rows of any length."""
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.range(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        # Load the tile that begins at start (about 2 lines).
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        # Update the state: the new maximum, the new sum (about 4 lines).
        new = tl.maximum(m, tl.max(x, axis=0))
        # As long as all is -inf, shift by 0: exp(-inf - 0) is 0, and exp(-inf - -inf) would be nan.
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        # Load the tile again, divide, store (about 3 lines).
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
