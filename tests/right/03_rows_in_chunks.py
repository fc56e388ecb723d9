# exercise: 3.2
import triton
import triton.language as tl


@triton.jit
def copy_rows_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, n_cols, 4):
        cols = start + tl.arange(0, 4)
        at = row * row_stride + cols
        tl.store(y_ptr + at, tl.load(x_ptr + at, mask=cols < n_cols, other=0.0), mask=cols < n_cols)
