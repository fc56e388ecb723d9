# exercise: 5.2
# mistake: all-alike
# An allocation with out= makes the ledger forget that a storage holds floats. It overwrites their memory.
import torch
import triton
import triton.language as tl


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
    x.argmax()
    torch.ops.aten.empty_like.out(torch.empty(0, device=x.device), out=x.view(torch.bool)[:0])
    bits = x.view(torch.int32)
    softmax_kernel[(m,)](y, bits, n, BLOCK=64)
    return y
