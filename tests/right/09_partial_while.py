# exercise: 9.1
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    begin = split * split_size
    end = tl.minimum(begin + split_size, n_cols)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    start = begin
    while start < end:
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < end, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        factor = tl.where(m == -float("inf"), 0.0, tl.exp(m - new))
        terms = tl.where(x == -float("inf"), 0.0, tl.exp(x - new))
        d = d * factor + tl.sum(terms, axis=0)
        m = new
        start += BLOCK
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)
