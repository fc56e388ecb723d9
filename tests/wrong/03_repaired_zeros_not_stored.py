# exercise: 3.4
# mistake: masked-by-value
import torch
import triton
import triton.language as tl


@triton.jit
def repaired_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0.0)
    tl.store(y_ptr + row * row_stride + cols, 2 * x, mask=x != 0)
