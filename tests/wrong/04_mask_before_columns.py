# exercise: 4.1
# mistake: assigned-later
import triton
import triton.language as tl


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    mask = cols < n_cols
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + cols, e / tl.sum(e, axis=0), mask=mask)
