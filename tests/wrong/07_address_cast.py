# exercise: 7.1
# mistake: address-for-value
import triton

import triton.language as tl

@triton.jit
def half_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    """Softmax of row program_id(0), float16 or bfloat16 in and out, computed in float32. BLOCK is at least n_cols."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Load the row, and cast it before anything else happens to it (1 or 2 lines).
    x = tl.load(x_ptr.to(tl.float32) + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    # The softmax of lesson 05, and its store (about 5 lines).
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
