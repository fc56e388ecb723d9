# exercise: 4.1
import triton
import triton.language as tl

@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    e = tl.extra.cuda.libdevice.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + cols, tl.extra.libdevice.fast_dividef(e, tl.sum(e, axis=0)), mask=mask)
