# exercise: 9.2
import torch
import triton
import triton.language as tl


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    for i in range(n_splits):
        m = tl.maximum(m, tl.load(m_ptr + row * n_splits + i))
    d = 0.0
    for i in range(n_splits):
        d += tl.load(d_ptr + row * n_splits + i) * tl.exp(tl.load(m_ptr + row * n_splits + i) - m)
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)
