# exercise: 16.2
import triton
import triton.language as tl


@triton.jit
def cross_entropy_gradient_kernel(
    dx_ptr, x_ptr, target_ptr, lse_ptr, scale_ptr, dx_row_stride, x_row_stride, n_cols, ignore_index,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(target_ptr + row)
    lse = tl.load(lse_ptr + row)
    scale = tl.load(scale_ptr) * (target != ignore_index).to(tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols).to(tl.float32)
        dx = (tl.exp(x - lse) - (cols == target).to(tl.float32)) * scale
        tl.store(dx_ptr + row * dx_row_stride + cols, dx, mask=cols < n_cols)
