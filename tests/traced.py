"""What the tests of trace run. Where kernels are compiled, its text is the learner's cells."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)


@triton.jit
def unmasked_kernel(y_ptr, x_ptr, stride, n, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + cols, mask=cols < n, other=0.0)
    tl.store(y_ptr + row * stride + cols, 2 * x)


@triton.jit
def tile_kernel(y_ptr, x_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows, cols = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None], tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    tl.store(y_ptr + rows * n_cols + cols, tl.load(x_ptr + rows * n_cols + cols, mask=mask, other=0.0), mask=mask)


@triton.jit
def standing_tile_kernel(x_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows, cols = tl.arange(0, ROWS)[None, :], tl.arange(0, BLOCK)[:, None]
    tl.load(x_ptr + rows * n_cols + cols, mask=(rows < n_rows) & (cols < n_cols), other=0.0)


@triton.jit
def split_kernel(x_ptr, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    for start in range(0, split_size, BLOCK):
        lanes = start + tl.arange(0, BLOCK)
        cols = tl.program_id(1) * split_size + lanes
        tl.load(x_ptr + tl.program_id(0) * n_cols + cols, mask=(lanes < split_size) & (cols < n_cols))


@triton.jit
def parts_kernel(total_ptr, part_ptr, x_ptr, n_parts, BLOCK: tl.constexpr):
    part, lanes = tl.program_id(0), tl.arange(0, BLOCK)
    tl.store(part_ptr + part, tl.sum(tl.load(x_ptr + part * BLOCK + lanes), axis=0))
    if part == n_parts - 1:
        tl.store(total_ptr, tl.sum(tl.load(part_ptr + lanes, mask=lanes < n_parts, other=0.0), axis=0))


@triton.jit
def grid_kernel(y_ptr):
    tl.store(y_ptr + tl.program_id(0) * 3 + tl.program_id(1), 1.0)


@triton.jit
def column_kernel(x_ptr, n_rows, row_stride, ROWS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    tl.load(x_ptr + rows * row_stride, mask=rows < n_rows, other=0.0)


@triton.jit
def before_kernel(x_ptr, BLOCK: tl.constexpr):
    tl.load(x_ptr + tl.arange(0, BLOCK) - 2)


@triton.jit
def nowhere_kernel(y_ptr, address):
    tl.store(y_ptr, tl.load((address + 64).to(tl.pointer_type(tl.float32))))


@triton.jit
def stub_kernel(y_ptr):
    tl.static_assert(False, "TODO 3.1")


def copied(x):
    y = torch.empty_like(x)
    copy_kernel[(2,)](y, x, x.numel(), BLOCK=4)
    copy_kernel[(1,)](y, x, 3, BLOCK=4)
    return y
