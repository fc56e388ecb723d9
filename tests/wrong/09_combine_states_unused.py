# exercise: 9.2
# mistake: states-unused
import torch
import triton
import triton.language as tl


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)
