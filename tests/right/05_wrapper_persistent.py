# exercise: 5.2
import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(y_ptr, x_ptr, stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * stride + cols, mask=mask, other=-float("inf"))
        e = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * stride + cols, e / tl.sum(e, axis=0), mask=mask)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("x must have two dimensions")
    if x.dtype is not torch.float32:
        raise ValueError("x must hold floating-point numbers")
    x = x.contiguous()
    y = torch.empty_like(x)
    programs = min(2, x.shape[0])
    rows_kernel[(programs,)](y, x, x.stride(0), *x.shape, BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
