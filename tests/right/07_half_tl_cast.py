# exercise: 7.1
import triton
import triton.language as tl


@triton.jit
def half_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, SCALE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    x = tl.cast(x, tl.float32)
    x = x * SCALE
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
