# exercise: 9.3
# mistake: block-too-large
import torch
import triton
import triton.language as tl


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row, split = tl.program_id(0), tl.program_id(1)
    begin = split * split_size
    lanes = tl.arange(0, BLOCK)
    m, d = -float("inf"), 0.0
    for start in range(0, split_size, BLOCK):
        cols = begin + start + lanes
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
    row, split = tl.program_id(0), tl.program_id(1)
    all_splits = tl.arange(0, SPLITS)
    there = all_splits < n_splits
    ms = tl.load(m_ptr + row * n_splits + all_splits, mask=there, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + all_splits, mask=there, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    begin = split * split_size
    lanes = tl.arange(0, BLOCK)
    for start in range(0, split_size, BLOCK):
        cols = begin + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)


def split_softmax(x, n_splits):
    if x.dim() != 2:
        raise ValueError(f"a matrix, please, and not {x.dim()} dimensions")
    if x.dtype != torch.float32:
        raise ValueError(f"float32, please, and not {x.dtype}")
    if n_splits < 1:
        raise ValueError(f"a row has at least one split, and not {n_splits}")
    if x.stride(1) != 1:
        x = x.contiguous()
    n_rows, n_cols = x.shape
    y = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    m, d = (torch.empty((n_rows, n_splits), dtype=torch.float32, device=x.device) for _ in range(2))
    size = triton.cdiv(n_cols, n_splits)
    block, lanes = triton.next_power_of_2(size), triton.next_power_of_2(n_splits)
    grid = (n_rows, n_splits)
    partial_kernel[grid](m, d, x, x.stride(0), n_cols, n_splits, size, BLOCK=block)
    strides = y.stride(0), x.stride(0)
    combine_kernel[grid](y, x, m, d, *strides, n_cols, n_splits, size, SPLITS=lanes, BLOCK=block)
    return y
