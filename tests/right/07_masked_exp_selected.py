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
    kept = tl.where(keep != 0, x, -float("inf"))
    numerator = tl.where(keep != 0, tl.exp(x - tl.max(kept, axis=0)), 0.0)
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
