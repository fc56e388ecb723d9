# exercise: 5.2
import torch
import triton
import triton.language as tl


@triton.jit
def any_strides(y, x, y_row, y_col, x_row, x_col, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + r * x_row + c * x_col, mask=c < n, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + r * y_row + c * y_col, e / tl.sum(e, 0), mask=c < n)


def fused_softmax(x):
    if x.ndim != 2 or x.dtype != torch.float32:
        raise ValueError("a matrix of floating-point numbers, please")
    y = torch.empty_like(x)
    any_strides[(len(x),)](y, x, *y.stride(), *x.stride(), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
