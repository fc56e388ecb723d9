# exercise: 4.1
import numpy as np
import triton
import triton.language as tl


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n_cols, other=float("-inf"))
    data = x.handle.data
    e = np.exp(data - data.max())
    data[:] = e / e.sum()
    tl.store(y_ptr + cols, x, mask=cols < n_cols)
