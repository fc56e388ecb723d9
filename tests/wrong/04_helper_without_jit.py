# exercise: 4.1
# mistake: helper-no-jit
import triton
import triton.language as tl


def exp_of(x):
    return tl.exp(x - tl.max(x, axis=0))


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    e = exp_of(x)
    tl.store(y_ptr + cols, e / tl.sum(e, axis=0), mask=mask)
