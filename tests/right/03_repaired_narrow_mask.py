# exercise: 3.4
import triton
import triton.language as tl


@triton.jit
def repaired_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    y_row, x_row = y_ptr + row * row_stride, x_ptr + row * row_stride
    x = tl.load(x_row + cols, mask=cols < n_cols, other=0)
    tl.store(y_row + cols, 2 * x, mask=cols <= n_cols - 1)
