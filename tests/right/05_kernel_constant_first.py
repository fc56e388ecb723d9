# exercise: 5.1
import math
import torch
import numpy as np
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)

@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + tl.cast(row, tl.int64) * x_row_stride + cols, mask=mask, other=-float("inf"))
    m = tl.max(x, axis=0)
    e = tl.exp2(LOG2E * (x - m))
    s = tl.sum(e, axis=0)
    tl.store(y_ptr + tl.cast(row, tl.int64) * y_row_stride + cols, e / s, mask=mask)
