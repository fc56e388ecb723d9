# exercise: 11.2
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    dx_ptr += row * dx_row_stride
    y_ptr += row * y_row_stride
    dy_ptr += row * dy_row_stride
    y = tl.load(y_ptr + cols, mask=cols < n_cols, other=0)
    dy = tl.load(dy_ptr + cols, mask=cols < n_cols, other=0)
    dot = tl.reduce(y * dy, 0, add)
    tl.store(dx_ptr + cols, tl.fma(-y, dot, y * dy), mask=cols < n_cols)
