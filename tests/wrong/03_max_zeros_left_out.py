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
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0.0)
    m = tl.max(tl.where(x != 0.0, x, -float('inf')), axis=0)
    tl.store(y_ptr + row, m)
