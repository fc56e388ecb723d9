# exercise: 5.2
import torch
import triton
import triton.language as tl


@triton.jit
def _kernel(y_ptr, x_ptr, sy, sx, n, DTYPE: tl.constexpr, MODE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * sx + cols, mask=cols < n, other=-float("inf")).to(DTYPE)
    e = tl.exp(x - tl.max(x, 0))
    if MODE == "softmax":
        y = e / tl.sum(e, 0)
    else:
        y = e
    tl.store(y_ptr + row * sy + cols, y, mask=cols < n)


def fused_softmax(x):
    if x.dim() != 2:
        raise ValueError("two dimensions, please")
    if x.dtype != torch.float32:
        raise ValueError("float32, please")
    if x.stride(-1) != 1:
        x = x.contiguous()
    y = torch.empty(x.shape, device=x.device)
    _kernel[(len(x),)](
        y,
        x,
        y.stride(0),
        x.stride(0),
        x.shape[1],
        DTYPE=tl.float32,
        MODE="softmax",
        BLOCK=triton.next_power_of_2(x.shape[1]),
    )
    return y
