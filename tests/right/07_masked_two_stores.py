# exercise: 7.3
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0)
    x = tl.where(keep != 0, x, -float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask & (keep != 0))
    zero = 0.0 * tl.sum(y, axis=0)  # NaN for a row without a kept entry
    tl.store(y_ptr + row * y_row_stride + cols, zero + tl.zeros_like(y), mask=mask & (keep == 0))
