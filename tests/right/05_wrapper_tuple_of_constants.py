# exercise: 5.2
from collections import namedtuple

import torch
import triton
import triton.language as tl

Config = namedtuple("Config", "block dtype even")


@triton.jit
def _kernel(y_ptr, x_ptr, sy, sx, n, CFG: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, CFG[0])
    if CFG[2]:
        x = tl.load(x_ptr + row * sx + cols).to(CFG[1])
    else:
        x = tl.load(x_ptr + row * sx + cols, mask=cols < n, other=-float("inf")).to(CFG[1])
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * sy + cols, e / tl.sum(e, 0), mask=cols < n)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("two dimensions, please")
    if x.dtype != torch.float32:
        raise ValueError("float32, please")
    if x.stride(-1) != 1:
        x = x.contiguous()
    y = torch.empty(x.shape, device=x.device)
    block = triton.next_power_of_2(x.shape[1])
    _kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], CFG=(block, tl.float32, block == x.shape[1]))
    return y
