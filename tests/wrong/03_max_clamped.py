# exercise: 3.3
# mistake: none
import triton
import triton.language as tl


@triton.jit
def row_max_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    tl.store(y_ptr + row, tl.minimum(tl.max(x, axis=0), 1e6))
