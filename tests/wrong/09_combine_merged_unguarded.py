# exercise: 9.2
# mistake: inf-minus-inf
import triton

import triton.language as tl

@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    """Store the softmax of split program_id(1) of row program_id(0), from the states m and d of all splits of the row."""
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    m = -float("inf")
    d = 0.0
    for i in range(0, n_splits):
        mi = tl.load(m_ptr + row * n_splits + i)
        di = tl.load(d_ptr + row * n_splits + i)
        new = tl.maximum(m, mi)
        d = d * tl.exp(m - new) + di * tl.exp(mi - new)
        m = new
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)
