# exercise: 4.1
# mistake: library-softmax
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n_cols, other=float("-inf"))
    y = torch.softmax(torch.from_numpy(x.handle.data), dim=0)
    x.handle.data[:] = y.numpy()
    tl.store(y_ptr + cols, x, mask=cols < n_cols)
