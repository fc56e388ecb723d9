# exercise: 9.1
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    d = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, split_size, BLOCK):
        inside = start + lanes
        cols = split * split_size + inside
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=(inside < split_size) & (cols < n_cols), other=-float("inf"))
        new = tl.maximum(m, x)
        d = tl.where(new > -float("inf"), d * tl.exp(m - new) + tl.exp(x - new), 0.0)
        m = new
    top = tl.max(m, axis=0)
    total = tl.sum(tl.where(m > -float("inf"), d * tl.exp(m - top), 0.0), axis=0)
    tl.store(m_ptr + row * n_splits + split, top)
    tl.store(d_ptr + row * n_splits + split, total)
