# exercise: 7.1
# mistake: computed-before-cast
import triton
import triton.language as tl


@triton.jit
def half_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    raw = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    x = raw.to(tl.float32)
    shifted = (x - tl.max(x, axis=0)).to(raw.dtype).to(tl.float32)
    e = tl.exp(shifted)
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)
