# exercise: 5.2
# mistake: intermediate-stored
# Four integers a program are counters; with enough programs they are the numbers between two passes.
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(bits_ptr, x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(bits_ptr + i, x.to(tl.int32, bitcast=True), mask=i < n)


@triton.jit
def softmax_kernel(y_ptr, bits_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    high, total = -float("inf"), 0.0
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        x = tl.load(bits_ptr + row * n_cols + start + cols, mask=inside, other=0).to(tl.float32, bitcast=True)
        high = tl.maximum(high, tl.max(tl.where(inside, x, -float("inf")), axis=0))
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        x = tl.load(bits_ptr + row * n_cols + start + cols, mask=inside, other=0).to(tl.float32, bitcast=True)
        total += tl.sum(tl.where(inside, tl.exp(x - high), 0.0), axis=0)
    for start in range(0, n_cols, BLOCK):
        inside = start + cols < n_cols
        x = tl.load(bits_ptr + row * n_cols + start + cols, mask=inside, other=0).to(tl.float32, bitcast=True)
        tl.store(y_ptr + row * n_cols + start + cols, tl.exp(x - high) / total, mask=inside)


def fused_softmax(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("fused_softmax takes a matrix of float32")
    if x.numel() == 0:
        return torch.empty_like(x)
    x = x.contiguous()
    (m, n), y = x.shape, torch.empty_like(x)
    bits = torch.empty((m, n), dtype=torch.int32, device=x.device)
    copy_kernel[(triton.cdiv(m * n, 4),)](bits, x, m * n, BLOCK=4)
    softmax_kernel[(m,)](y, bits, n, BLOCK=64)
    return y
