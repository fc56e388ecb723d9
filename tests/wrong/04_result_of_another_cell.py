# exercise: 4.1
# mistake: notebook-global
import torch
import triton
import triton.language as tl


y = torch.rand(8)


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    out = e / tl.sum(e, axis=0)
    tl.store(y_ptr + cols, y, mask=mask)
