# exercise: 8.3
import torch
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = tl.full((BLOCK,), -float("inf"), tl.float32)
    d = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        new = tl.maximum(m, x)
        seen = new > -float("inf")
        d = tl.where(seen, d * tl.exp(m - new) + tl.exp(x - new), 0.0)
        m = new
    top = tl.max(m, axis=0)
    total = tl.sum(tl.where(m > -float("inf"), d * tl.exp(m - top), 0.0), axis=0)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - top) / total, mask=cols < n_cols)
