# exercise: 3.3
# mistake: values-taken-for-pads
import triton
import triton.language as tl
import torch
@triton.jit
def row_max_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=float('inf'))
    x = tl.where(x == float('inf'), -float('inf'), x)
    m = tl.max(x, axis=0)
    tl.store(y_ptr + row, m)
