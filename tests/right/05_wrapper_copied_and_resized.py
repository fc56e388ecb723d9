# exercise: 5.2
import copy
import torch
import triton
import triton.language as tl

@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)

def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("a matrix of float32, please")
    x = copy.copy(x)
    y = torch.empty(0, dtype=x.dtype, device=x.device)
    y.resize_(x.shape)
    if x.stride(1) != 1:
        x = x.contiguous()
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
