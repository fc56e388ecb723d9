# exercise: 5.2
import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def natural(x):
    return tl.exp(x)


@triton.jit
def base2(x):
    if x.dtype == tl.float64:
        return tl.exp(x)
    return tl.exp2(x * LOG2E)


@triton.jit
def _apply(f: tl.constexpr, x):
    return f(x)


@triton.jit
def _kernel(y_ptr, x_ptr, sy, sx, n: tl.constexpr, EXP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < n, other=-float("inf"))
    e = _apply(EXP, x - tl.max(x, 0))
    tl.store(y_ptr + row * sy + cols, e / tl.sum(e, 0), mask=cols < n)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("two dimensions, please")
    if x.dtype != torch.float32:
        raise ValueError("float32, please")
    if x.stride(-1) != 1:
        x = x.contiguous()
    y = torch.empty(x.shape, device=x.device)
    exp = natural if x.shape[0] % 2 else base2
    _kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], EXP=exp, BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
