# exercise: 5.1
# A block that no compiler takes.
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    zeros = tl.zeros([1 << 14, 1 << 14, 1 << 14], tl.float32)
    tl.store(y_ptr, tl.sum(zeros))
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)
