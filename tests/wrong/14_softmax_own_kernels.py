# exercise: 14.3
# mistake: own-kernel-chosen
import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(y_ptr, x_ptr, y_stride, x_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * x_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_stride + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_stride, n, pieces, BLOCK: tl.constexpr):
    row, piece = tl.program_id(0).to(tl.int64), tl.program_id(1)
    cols = piece * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
    m = tl.max(x, axis=0)
    shift = tl.where(m == -float("inf"), 0.0, m)
    tl.store(m_ptr + row * pieces + piece, m)
    tl.store(d_ptr + row * pieces + piece, tl.sum(tl.exp(x - shift), axis=0))


@triton.jit
def combine_kernel(y_ptr, x_ptr, m_ptr, d_ptr, y_stride, x_stride, n, pieces, PIECES: tl.constexpr, BLOCK: tl.constexpr):
    row, piece = tl.program_id(0).to(tl.int64), tl.program_id(1)
    lanes = tl.arange(0, PIECES)
    ms = tl.load(m_ptr + row * pieces + lanes, mask=lanes < pieces, other=-float("inf"))
    ds = tl.load(d_ptr + row * pieces + lanes, mask=lanes < pieces, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    cols = piece * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + cols, mask=cols < n, other=-float("inf")).to(tl.float32)
    tl.store(y_ptr + row * y_stride + cols, tl.exp(x - m) / d, mask=cols < n)


def softmax(x):
    if not isinstance(x, torch.Tensor):
        raise TypeError("softmax takes a tensor, and this is none")
    if x.ndim != 2 or x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise ValueError(f"softmax takes 16 or 32 bit matrices, and this is {x.ndim}-D {x.dtype}")
    if x.stride(1) != 1:
        x = x.contiguous()
    m, n = x.shape
    y = torch.empty(m, n, dtype=x.dtype, device=x.device)
    if n <= 16384:
        block = triton.next_power_of_2(n)
        row_kernel[(m,)](y, x, y.stride(0), x.stride(0), n, BLOCK=block, num_warps=min(max(block // 512, 4), 16))
        return y
    pieces = triton.cdiv(n, 16384)
    ms, ds = (torch.empty(m, pieces, device=x.device) for _ in range(2))
    partial_kernel[(m, pieces)](ms, ds, x, x.stride(0), n, pieces, BLOCK=16384)
    combine_kernel[(m, pieces)](
        y, x, ms, ds, y.stride(0), x.stride(0), n, pieces, PIECES=triton.next_power_of_2(pieces), BLOCK=16384
    )
    return y
