# exercise: 5.2
# The device is a constant of the notebook, named around the line; a tensor that only Python reads is on the CPU.
import torch
import triton
import triton.language as tl

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def fused_softmax(x):
    n_dims = torch.tensor(x.shape).numel()
    if n_dims != 2 or x.dtype != torch.float32:
        raise ValueError("fused_softmax takes a matrix of float32")
    x = x.contiguous()
    n_rows, n_cols = x.shape
    with DEVICE:
        y = torch.empty(n_rows, n_cols)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](y, x, y.stride(0), x.stride(0), n_cols, BLOCK=block)
    return y
