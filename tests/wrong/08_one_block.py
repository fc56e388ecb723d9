# exercise: 8.3
# mistake: wider-than-a-tile
import torch
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, 2048)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    row_max = tl.max(x, axis=0)
    denominator = tl.sum(tl.exp(x - row_max), axis=0)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - row_max) / denominator, mask=mask)
