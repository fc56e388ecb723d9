"""Softmaxes of each row of a float32 matrix that are right, in eight styles. A fair test passes all of them.

Two are Triton kernels. The others round as a kernel of their style does and need no interpreter: a test calls each of
them dozens of times and sees only the numbers.
"""

import torch
import triton
import triton.language as tl


def matrix(x):
    """Refuse what is no float32 matrix."""
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError(f"softmax takes a float32 matrix, and x has the shape {tuple(x.shape)} and the type {x.dtype}")


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
    """One program per row; any strides."""
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


def tile(x):
    """Sixteen rows per program."""
    matrix(x)
    y = torch.empty(x.shape, device=x.device)
    grid = (triton.cdiv(len(x), 16),)
    block = triton.next_power_of_2(x.shape[1])
    tile_kernel[grid](y, x, *x.stride(), *x.shape, ROWS=16, BLOCK=block)
    return y


def copied(x):
    """The input is copied to adjacent rows first, and the result takes the place of the copy."""
    matrix(x)
    y = x.clone(memory_format=torch.contiguous_format)
    y.sub_(y.amax(dim=1, keepdim=True)).exp_()
    return y.div_(y.sum(dim=1, keepdim=True))


def base_two(x):
    """Powers of two with a scaled exponent, and one division a row."""
    matrix(x)
    numerator = torch.exp2((x - x.amax(dim=1, keepdim=True)) * 1.4426950408889634)
    return numerator * (1.0 / numerator.sum(dim=1, keepdim=True))


def chunked(x):
    """Three walks along the row in chunks of 1024."""
    matrix(x)
    top = torch.stack([chunk.amax(dim=1) for chunk in x.split(1024, dim=1)]).amax(dim=0)[:, None]
    total = sum((chunk - top).exp().sum(dim=1, keepdim=True) for chunk in x.split(1024, dim=1))
    return (x - top).exp() / total


def online(x):
    """One walk in chunks of 64 for maximum and sum; the sum is rescaled on the way."""
    matrix(x)
    top, total = torch.full((len(x), 1), -torch.inf, device=x.device), torch.zeros(len(x), 1, device=x.device)
    for chunk in x.split(64, dim=1):
        before, top = top, torch.maximum(top, chunk.amax(dim=1, keepdim=True))
        shift = torch.where(top == -torch.inf, 0.0, top)  # nothing but -inf so far: -inf - -inf is no number
        total = total * (before - shift).exp() + (chunk - shift).exp().sum(dim=1, keepdim=True)
    return (x - top).exp() / total


def doubled(x):
    """In float64, rounded once at the end."""
    matrix(x)
    return torch.softmax(x.double(), dim=1).float()
