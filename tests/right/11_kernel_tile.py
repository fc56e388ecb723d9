# exercise: 11.2
import triton
import triton.language as tl


@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(axis=0).to(tl.int64)
    rows = row + tl.arange(0, 1)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    inside = cols < n_cols
    y = tl.load(y_ptr + rows * y_row_stride + cols, inside, 0.0)
    dy = tl.load(dy_ptr + rows * dy_row_stride + cols, inside, 0.0)
    dot = tl.sum(y * dy, axis=1, keep_dims=True)
    tl.store(dx_ptr + rows * dx_row_stride + cols, (dy - dot) * y, inside)
