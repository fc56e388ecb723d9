# exercise: 7.3
# mistake: dropped-by-arithmetic
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0)
    x = x * keep
    x = tl.where(x == 0, -float("inf"), x)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)
