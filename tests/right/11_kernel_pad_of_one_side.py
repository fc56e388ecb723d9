# exercise: 11.2
import triton
import triton.language as tl


@triton.jit
def softmax_backward_kernel(
    dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * y_row_stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * dy_row_stride + cols, mask=mask, other=1.0)
    dx = y * (dy - tl.sum(y * dy, axis=0))
    tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=mask)
