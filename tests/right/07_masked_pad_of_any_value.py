# exercise: 7.3
import triton

import triton.language as tl

@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    """Softmax of the entries of row program_id(0) where keep is 1; 0 where it is 0; NaN for a row that keeps nothing above -inf."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-1e30)
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0)
    x = tl.where(keep != 0, x, -float("inf"))
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max)
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
