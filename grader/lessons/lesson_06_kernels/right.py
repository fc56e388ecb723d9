"""Softmaxes of each row of a float32 matrix that are right, in eight styles. A fair test passes all of them."""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


def matrix(x):
    """Refuse what is no float32 matrix."""
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError(f"softmax takes a float32 matrix, not {x.dim()} dimensions of {x.dtype}")


def reference(x):
    """PyTorch's own."""
    matrix(x)
    return torch.softmax(x, dim=1)


@triton.jit
def row_kernel(y_ptr, x_ptr, x_row, x_col, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row + cols * x_col, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * n_cols + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def one_row(x):
    """One program a row; any strides."""
    matrix(x)
    y = torch.empty(x.shape, device=x.device)
    row_kernel[(len(x),)](y, x, *x.stride(), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


@triton.jit
def tile_kernel(y_ptr, x_ptr, x_row, x_col, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * x_row + cols * x_col, mask=mask, other=-float("inf"))
    x = tl.where(rows < n_rows, x, 0.0)  # a row that is not there must not be all -inf
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(y_ptr + rows * n_cols + cols, numerator / tl.sum(numerator, axis=1)[:, None], mask=mask)


def tile(x, rows=16):
    """Several rows a program."""
    matrix(x)
    y = torch.empty(x.shape, device=x.device)
    grid = (triton.cdiv(len(x), rows),)
    block = triton.next_power_of_2(x.shape[1])
    tile_kernel[grid](y, x, *x.stride(), *x.shape, ROWS=rows, BLOCK=block)
    return y


def two_rows(x):
    """Two rows a program."""
    return tile(x, rows=2)


def copied(x):
    """The input is copied to adjacent rows first."""
    return tile(x.contiguous())


@triton.jit
def exp2_kernel(y_ptr, x_ptr, x_row, x_col, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row + cols * x_col, mask=mask, other=-float("inf"))
    numerator = tl.exp2((x - tl.max(x, axis=0)) * LOG2E)
    reciprocal = 1.0 / tl.sum(numerator, axis=0)
    tl.store(y_ptr + row * n_cols + cols, numerator * reciprocal, mask=mask)


def base_two(x):
    """Powers of two with a scaled exponent, and one division a row."""
    matrix(x)
    y = torch.empty(x.shape, device=x.device)
    exp2_kernel[(len(x),)](y, x, *x.stride(), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


@triton.jit
def persistent_kernel(y_ptr, x_ptr, x_row, x_col, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row + cols * x_col, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * n_cols + cols, numerator / tl.sum(numerator, axis=0), mask=mask)


def persistent(x):
    """Four programs that take every fourth row."""
    matrix(x)
    y = torch.empty(x.shape, device=x.device)
    persistent_kernel[(4,)](y, x, *x.stride(), *x.shape, BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


@triton.jit
def chunked_kernel(y_ptr, x_ptr, x_row, x_col, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row + cols * x_col, mask=cols < n_cols, other=-float("inf"))
        top = tl.maximum(top, x)
    row_max = tl.max(top, axis=0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row + cols * x_col, mask=cols < n_cols, other=-float("inf"))
        total += tl.exp(x - row_max)
    denominator = tl.sum(total, axis=0)
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row + cols * x_col, mask=cols < n_cols)
        tl.store(y_ptr + row * n_cols + cols, tl.exp(x - row_max) / denominator, mask=cols < n_cols)


def chunked(x):
    """Three walks along the row in chunks of 1024."""
    matrix(x)
    y = torch.empty(x.shape, device=x.device)
    chunked_kernel[(len(x),)](y, x, *x.stride(), x.shape[1], BLOCK=1024)
    return y
