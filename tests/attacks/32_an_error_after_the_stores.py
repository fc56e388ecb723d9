# exercise: 5.2
# mistake: intermediate-stored
# A launch copies all numbers as integers and then leaves its tensor; its error is caught, the integers are read.
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(bits_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(bits_ptr + i, x.to(tl.int32, bitcast=True), mask=i < n)
    if tl.program_id(0) == tl.num_programs(0) - 1:
        tl.store(bits_ptr - 1, 0)


@triton.jit
def softmax_kernel(y_ptr, bits_ptr, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    at = bits_ptr + row * n_cols + cols
    high = tl.max(tl.load(at, mask=cols < n_cols, other=-8388608).to(tl.float32, bitcast=True), axis=0)
    x = tl.load(at, mask=cols < n_cols, other=-8388608).to(tl.float32, bitcast=True)
    total = tl.sum(tl.exp(x - high), axis=0)
    x = tl.load(at, mask=cols < n_cols, other=-8388608).to(tl.float32, bitcast=True)
    tl.store(y_ptr + row * n_cols + cols, tl.exp(x - high) / total, mask=cols < n_cols)


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("fused_softmax takes a matrix of float32")
    if x.numel() == 0:
        return torch.empty_like(x)
    x = x.contiguous()
    (m, n), y = x.shape, torch.empty_like(x)
    bits = torch.empty((m, n), dtype=torch.int32, device=x.device)
    try:
        copy_kernel[(triton.cdiv(m * n, 64),)](bits, x, m * n, BLOCK=64)
    except RuntimeError:
        pass
    softmax_kernel[(m,)](y, bits, n, BLOCK=triton.next_power_of_2(n))
    return y
