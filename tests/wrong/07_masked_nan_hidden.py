# exercise: 7.3
# mistake: nan-hidden
import torch
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=mask, other=0) != 0
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask & keep, other=-float("inf"))
    x = tl.where(x == x, x, -float("inf"))
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - tl.where(row_max == -float("inf"), 0.0, row_max))
    denominator = tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, numerator / denominator, mask=mask)
