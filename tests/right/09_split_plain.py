# exercise: 9.3
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)


@triton.jit
def combine_kernel(
    y_ptr, x_ptr, m_ptr, d_ptr, y_row_stride, x_row_stride, n_cols, n_splits, split_size,
    SPLITS: tl.constexpr, BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    split = tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)


def split_softmax(x, n_splits):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError(f"a float32 matrix is needed, not {x.dim()} dimensions of {x.dtype}")
    if n_splits < 1:
        raise ValueError(f"n_splits has to be 1 or more, not {n_splits}")
    x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    m = torch.empty((n_rows, n_splits), device=x.device)
    d = torch.empty((n_rows, n_splits), device=x.device)
    split_size = triton.cdiv(n_cols, n_splits)
    block = min(triton.next_power_of_2(split_size), 4096)
    grid = (n_rows, n_splits)
    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, split_size, BLOCK=block)
    combine_kernel[grid](
        y, x, m, d, y.stride(0), x.stride(0), n_cols, n_splits, split_size,
        SPLITS=triton.next_power_of_2(n_splits), BLOCK=block,
    )
    return y
