# exercise: 4.1
import triton
import triton.language as tl

@triton.jit
def parts(x):
    m = tl.max(x, axis=0)
    e = tl.exp(x - m)
    return tl.tuple((e, tl.sum(e, axis=0)))

@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    state = parts(x)
    tl.store(y_ptr + cols, state[0] / state[1], mask=mask)
