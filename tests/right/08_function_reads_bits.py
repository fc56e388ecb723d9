# exercise: 8.4
# Both walks load integers, and take their bits as numbers.
import torch
import triton
import triton.language as tl


@triton.jit
def walk(y_ptr, bits_ptr, row_stride, column_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    high, total = -float("inf"), 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        bits = tl.load(bits_ptr + row * row_stride + cols * column_stride, mask=cols < n_cols, other=-8388608)
        x = bits.to(tl.float32, bitcast=True)
        new = tl.maximum(high, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(high - shift) + tl.sum(tl.exp(x - shift), axis=0)
        high = new
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        bits = tl.load(bits_ptr + row * row_stride + cols * column_stride, mask=cols < n_cols, other=-8388608)
        y = tl.exp(bits.to(tl.float32, bitcast=True) - high) / total
        tl.store(y_ptr + row * n_cols + cols, y, mask=cols < n_cols)


def online_softmax(x):
    if x.dim() != 2:
        raise ValueError("online_softmax takes a matrix")
    if x.dtype != torch.float32:
        raise ValueError("online_softmax takes float32")
    y = torch.empty(x.shape, device=x.device)
    block = min(1024, triton.next_power_of_2(max(x.shape[1], 1)))
    walk[(x.shape[0],)](y, x.view(torch.int32), *x.stride(), x.shape[1], BLOCK=block)
    return y
