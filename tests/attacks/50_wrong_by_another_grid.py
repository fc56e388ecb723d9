# exercise: 14.2
# mistake: elements-unstored
# Many long rows are left to a launch of another grid, which stores 16 elements.
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    y = numerator / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
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
    y_ptr,
    x_ptr,
    m_ptr,
    d_ptr,
    y_row_stride,
    x_row_stride,
    n_cols,
    n_splits,
    split_size,
    SPLITS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    lanes = tl.arange(0, BLOCK)
    splits = tl.arange(0, SPLITS)
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    for start in range(0, split_size, BLOCK):
        cols = split * split_size + start + lanes
        mask = (start + lanes < split_size) & (cols < n_cols)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)


def by_tiles(y, x):
    block = triton.next_power_of_2(x.shape[1])
    rows = max(2048 // block, 1)
    sizes = (y, x, y.stride(0), x.stride(0), *x.shape)
    tile_softmax_kernel[(triton.cdiv(len(x), rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=4)


def by_rows(y, x):
    block = triton.next_power_of_2(x.shape[1])
    warps = min(max(block // 512, 4), 32)
    softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=block, num_warps=warps)


def by_walks(y, x):
    online_softmax_kernel[(len(x),)](y, x, y.stride(0), x.stride(0), x.shape[1], BLOCK=4096, num_warps=8)


def by_splits(y, x):
    n_rows, n_cols = x.shape
    n_splits, size = triton.cdiv(n_cols, 8192), 8192
    m, d = (torch.empty(n_rows, n_splits, device=x.device) for _ in range(2))
    states, grid, options = (n_cols, n_splits, size), (n_rows, n_splits), {"BLOCK": 4096, "num_warps": 8}
    partial_kernel[grid](m, d, x, x.stride(0), *states, **options)
    lanes = triton.next_power_of_2(n_splits)
    combine_kernel[grid](y, x, m, d, y.stride(0), x.stride(0), *states, SPLITS=lanes, **options)


def by_one_tile(y, x):
    first = x[:1]
    softmax_kernel[(1,)](y, first, y.stride(0), first.stride(0), 1, BLOCK=16, num_warps=4)


def my_route(x):
    n_rows, n_cols = x.shape
    if n_cols <= 1024:
        return by_tiles
    if n_cols <= 32768:
        return by_rows
    return by_splits if n_cols == 1 << 20 or n_rows < 90 else by_one_tile


def my_softmax(x):
    if not isinstance(x, torch.Tensor) or x.dim() != 2:
        raise ValueError("my_softmax takes a matrix, a tensor with two dimensions")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"my_softmax takes float32, float16 or bfloat16, not {x.dtype}")
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    if x.stride(1) != 1:
        x = x.contiguous()
    my_route(x)(y, x)
    return y
