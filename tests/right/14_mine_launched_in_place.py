# exercise: 14.2
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
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
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
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
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
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
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
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
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
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

def my_softmax(x):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"a {type(x).__name__} is no tensor")
    if x.dim() != 2 or not x.is_floating_point() or x.element_size() not in (2, 4):
        raise ValueError(f"{x.dim()} dimensions of {x.dtype} are no matrix of float32, float16 or bfloat16")
    m, n = x.shape
    y = x.new_empty(m, n)
    if x.stride(-1) != 1:
        x = x.clone(memory_format=torch.contiguous_format)
    block = triton.next_power_of_2(n)
    match n:
        case _ if block <= 8192:
            rows = max(1, 4096 // block)
            grid = (triton.cdiv(m, rows),)
            tile_softmax_kernel[grid](y, x, y.stride(0), x.stride(0), m, n, ROWS=rows, BLOCK=block, num_warps=8)
        case _ if m >= 132 or n <= 16384:
            online_softmax_kernel[(m,)](y, x, y.stride(0), x.stride(0), n, BLOCK=8192, num_warps=16)
        case _:
            by_splits(y, x)
    return y
