# exercise: 5.2
# mistake: block-too-large
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    m = tl.max(x, axis=0)
    e = tl.exp(x - m)
    s = tl.sum(e, axis=0)
    y = e / s
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("x must be a matrix")
    if x.dtype != torch.float32:
        raise ValueError("x must be float32")
    x = x.contiguous()
    y = torch.empty_like(x)
    m, n = x.shape
    block = triton.next_power_of_2(x.numel())
    softmax_kernel[(m,)](y, x, y.stride(0), x.stride(0), n, BLOCK=block)
    return y
