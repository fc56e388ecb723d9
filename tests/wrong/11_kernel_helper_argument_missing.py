# exercise: 11.2
# mistake: missing-argument
import torch


import triton


import triton.language as tl


from typing import NamedTuple


class Row(NamedTuple):
    y: tl.tensor
    dy: tl.tensor


@triton.jit
def load(y_ptr, dy_ptr, cols, mask):
    return Row(y=tl.load(y_ptr + cols, mask=mask, other=0.0), dy=tl.load(dy_ptr + cols, mask=mask, other=0.0))


@triton.jit
def softmax_backward_kernel(dx_ptr, y_ptr, dy_ptr, dx_row_stride, y_row_stride, dy_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    r = load(dy_ptr + row * dy_row_stride, cols, cols < n_cols)
    tl.store(dx_ptr + row * dx_row_stride + cols, r.y * (r.dy - tl.sum(r.y * r.dy)), cols < n_cols)
