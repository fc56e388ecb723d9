# exercise: 8.4
# mistake: walks-too-many
# Two more walks over the row, through integers of a view that its operator calls a new tensor.
import torch
import triton
import triton.language as tl


@triton.jit
def maximum_of(bits_ptr, n_cols, BLOCK: tl.constexpr):
    high = -float("inf")
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        bits = tl.load(bits_ptr + cols, mask=cols < n_cols, other=-8388608)
        high = tl.maximum(high, tl.max(bits.to(tl.float32, bitcast=True), axis=0))
    return high


@triton.jit
def softmax_kernel(y_ptr, x_ptr, bits_ptr, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    high = maximum_of(bits_ptr + row * x_row_stride, n_cols, BLOCK)
    total = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        total += tl.sum(tl.exp(x - high), axis=0)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * n_cols + cols, tl.exp(x - high) / total, mask=cols < n_cols)


def online_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("online_softmax takes a matrix of float32")
    if x.numel() == 0:
        return torch.empty_like(x)
    x = x.contiguous()
    (m, n), y = x.shape, torch.empty_like(x)
    bits = torch.ops.aten._unsafe_view(x.view(torch.int32), [m, n])
    softmax_kernel[(m,)](y, x, bits, n, n, BLOCK=min(1024, triton.next_power_of_2(n)))
    return y
