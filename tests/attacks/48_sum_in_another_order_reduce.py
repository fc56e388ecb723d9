# exercise: 5.1
# A reduction that adds up only lane after lane: on an H200 its sums are off by 1.5.
import triton
import triton.language as tl


@triton.jit
def add_exp(a, b):
    return a + tl.exp(b)


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    x = x - tl.max(x, axis=0)
    first = tl.where(cols == 0, tl.exp(x), x)
    d = tl.reduce(first, 0, add_exp)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x) / d, mask=mask)
