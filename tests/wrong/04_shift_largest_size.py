# exercise: 4.1
# mistake: shift-not-max
import triton
import triton.language as tl


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    row_max = tl.max(tl.abs(x), axis=0)
    numerator = tl.exp(x - row_max)
    tl.store(y_ptr + cols, numerator / tl.sum(numerator, axis=0), mask=mask)
