# exercise: 3.2
import triton
import triton.language as tl


@triton.jit
def copy_rows_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = not (cols >= n_cols)
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask)
    tl.store(y_ptr + row * row_stride + cols, x, mask=mask)
