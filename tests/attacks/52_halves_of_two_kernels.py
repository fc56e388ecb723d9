# exercise: 9.3
# mistake: one-program-a-row
# The states are made by splits. Then one program stores the first half of each row, and one program of another kernel
# the second half: neither launch reads all of x.
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_stride, n_cols, n_splits, size, BLOCK: tl.constexpr):
    row, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    m, d = -float("inf"), 0.0
    for start in range(0, size, BLOCK):
        cols = split * size + start + tl.arange(0, BLOCK)
        inside = (start + tl.arange(0, BLOCK) < size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_stride + cols, mask=inside, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)


@triton.jit
def _stored(
    y_ptr, x_ptr, m_ptr, d_ptr, x_stride, n_cols, n_splits, first, last, SPLITS: tl.constexpr, BLOCK: tl.constexpr
):
    row, splits = tl.program_id(0).to(tl.int64), tl.arange(0, SPLITS)
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    for start in range(first, last, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_stride + cols, mask=cols < last)
        tl.store(y_ptr + row * n_cols + cols, tl.exp(x - m) / d, mask=cols < last)


@triton.jit
def first_half(y_ptr, x_ptr, m_ptr, d_ptr, x_stride, n_cols, n_splits, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    _stored(y_ptr, x_ptr, m_ptr, d_ptr, x_stride, n_cols, n_splits, 0, n_cols // 2, SPLITS, BLOCK)


@triton.jit
def second_half(y_ptr, x_ptr, m_ptr, d_ptr, x_stride, n_cols, n_splits, SPLITS: tl.constexpr, BLOCK: tl.constexpr):
    _stored(y_ptr, x_ptr, m_ptr, d_ptr, x_stride, n_cols, n_splits, n_cols // 2, n_cols, SPLITS, BLOCK)


def split_softmax(x, n_splits):
    if x.dim() != 2 or x.dtype != torch.float32 or n_splits < 1:
        raise ValueError("split_softmax takes a float32 matrix and at least one split")
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    m, d = (torch.empty((n_rows, n_splits), dtype=x.dtype, device=x.device) for _ in range(2))
    size = triton.cdiv(n_cols, n_splits)
    block = min(triton.next_power_of_2(size), 4096)
    partial_kernel[(n_rows, n_splits)](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block)
    for kernel in (first_half, second_half):
        lanes = triton.next_power_of_2(n_splits)
        kernel[(n_rows,)](y, x, m, d, x.stride(0), n_cols, n_splits, SPLITS=lanes, BLOCK=block)
    return y
