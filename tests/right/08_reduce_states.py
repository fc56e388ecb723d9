# exercise: 8.3
import torch
import triton
import triton.language as tl


@triton.jit
def merge_states(ma, da, mb, db):
    m = tl.maximum(ma, mb)
    shift = tl.where(m == -float("inf"), 0.0, m)
    return m, da * tl.exp(ma - shift) + db * tl.exp(mb - shift)


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tile_m, tile_d = tl.reduce((x, tl.where(cols < n_cols, 1.0, 0.0)), 0, merge_states)
        m, d = merge_states(m, d, tile_m, tile_d)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
