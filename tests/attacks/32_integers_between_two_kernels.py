# exercise: 5.2
# mistake: intermediate-stored
# Two passes, and the numbers between them are integers.
import torch
import triton
import triton.language as tl


@triton.jit
def exp_kernel(bits_ptr, x_ptr, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(bits_ptr + row * n_cols + cols, e.to(tl.int32, bitcast=True), mask=cols < n_cols)


@triton.jit
def divide_kernel(y_ptr, bits_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    e = tl.load(bits_ptr + row * n_cols + cols, mask=cols < n_cols, other=0).to(tl.float32, bitcast=True)
    tl.store(y_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("fused_softmax takes a matrix of float32")
    if x.numel() == 0:
        return torch.empty_like(x)
    x = x.contiguous()
    (m, n), y = x.shape, torch.empty_like(x)
    bits = torch.empty((m, n), dtype=torch.int32, device=x.device)
    options = {"BLOCK": triton.next_power_of_2(n)}
    exp_kernel[(m,)](bits, x, n, n, **options)
    divide_kernel[(m,)](y, bits, n, **options)
    return y
