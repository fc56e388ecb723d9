# exercise: 5.2
from typing import NamedTuple
import torch
import triton
import triton.language as tl

class View(NamedTuple):
    ptr: torch.Tensor
    row_stride: int
    handle: int = 3

class State(NamedTuple):
    max: tl.tensor
    handle: tl.tensor

@triton.jit
def reduce(x):
    m = tl.max(x, axis=0)
    return State(handle=tl.sum(tl.exp(x - m), axis=0), max=m)

@triton.jit
def softmax_kernel(y, x, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    v = tl.load(x.ptr + row * x.row_stride + cols, mask=mask, other=-float("inf"))
    s = reduce(v)
    tl.store(y.ptr + row * y.row_stride + cols, tl.exp(v - s.max) / s.handle, mask=mask)

def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("a matrix of float32, please")
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.stride(1) != 1:
        x = x.contiguous()
    softmax_kernel[(len(x),)](View(y, y.stride(0)), View(x, x.stride(0)), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
