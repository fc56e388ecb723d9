# A kernel of small functions, and constants with a name.
import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)
LOW = tl.constexpr(-float("inf"))


@triton.jit
def row_of(x, cols, N):
    return tl.load(x + cols, mask=cols < N, other=LOW)


@triton.jit
def softmax_of(v):
    v = tl.exp2((v - tl.max(v, axis=0)) * LOG2E)
    return v / tl.sum(v, axis=0)


@triton.jit
def k(y, x, sy, sx, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    tl.store(y + row * sy + cols, softmax_of(row_of(x + row * sx, cols, N)), mask=cols < N)


def fused_softmax(x):
    y = torch.empty_like(x)
    k[len(x),](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
