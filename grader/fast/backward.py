"""The gradient of softmax, dx = y · (dy − Σ y·dy) for every row, and of log_softmax, dx = dy − exp(y) · Σ dy."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl

from . import clusters, short_rows
from .launchers import VECTOR, Launcher, aligned, layout, start
from .plans import Plans
from .rows import LOG2_E

SHORT = 1024  # bytes of a row; a cluster has too few vectors of a shorter one
SPLIT = 65536  # elements of a longer row are divided among programs
PIECE = 8192  # elements of such a program

_plans = Plans()


@triton.jit
def term(y, dy, LOG: tl.constexpr):
    """What is summed up along a row."""
    return dy if LOG else y * dy


@triton.jit
def result(y, dy, total, LOG: tl.constexpr):
    """The gradient, from the sum of a row."""
    return dy - tl.exp2(y * LOG2_E) * total if LOG else y * (dy - total)


@triton.jit
def rows_kernel(
    dx_ptr, y_ptr, dy_ptr, n_rows, n_units, UNIT: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """The gradient of ROWS rows of contiguous matrices, from row program_id(0) * ROWS: read once, written once.

    A row has n_units * UNIT elements, at most BLOCK.
    """
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    at = rows * n_units * UNIT + cols
    mask = (rows < n_rows) & (cols < n_units * UNIT)
    y = tl.load(y_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(dx_ptr + at, result(y, dy, tl.sum(term(y, dy, LOG), axis=1)[:, None], LOG), mask=mask)


@triton.jit
def sums_kernel(sums_ptr, y_ptr, dy_ptr, n_units, n_pieces, UNIT: tl.constexpr, BLOCK: tl.constexpr, LOG: tl.constexpr):
    """sums_ptr[p]: the sum over piece p of a row, of BLOCK elements; all rows have n_pieces of them."""
    piece = tl.program_id(0)
    cols = piece % n_pieces * BLOCK + tl.arange(0, BLOCK)
    at = (piece // n_pieces).to(tl.int64) * n_units * UNIT + cols
    mask = cols < n_units * UNIT
    y = tl.load(y_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
    tl.store(sums_ptr + piece, tl.sum(term(y, dy, LOG), axis=0))


@triton.jit
def pieces_kernel(
    dx_ptr, y_ptr, dy_ptr, sums_ptr, n_units, n_pieces, UNIT: tl.constexpr, PIECES: tl.constexpr, BLOCK: tl.constexpr,
    LOG: tl.constexpr,
):  # fmt: skip
    """The gradient of piece program_id(0), from the sums of all pieces of its row."""
    piece = tl.program_id(0)
    cols = piece % n_pieces * BLOCK + tl.arange(0, BLOCK)
    row = piece // n_pieces
    at = row.to(tl.int64) * n_units * UNIT + cols
    mask = cols < n_units * UNIT
    y = tl.load(y_ptr + at, mask=mask, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + at, mask=mask, other=0.0).to(tl.float32)
    lanes = tl.arange(0, PIECES)
    total = tl.sum(tl.load(sums_ptr + row * n_pieces + lanes, mask=lanes < n_pieces, other=0.0), axis=0)
    tl.store(dx_ptr + at, result(y, dy, total, LOG), mask=mask)


def launch(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, log: bool = False) -> None:
    """Store the gradient in dx. All three are M×N, contiguous, of float32, bfloat16 or float16. log: of log_softmax."""
    _plans.of((log, *layout(dx, y), dy.data_ptr() % VECTOR), lambda: plan(dx, y, dy, log))(dx, y, dy)


def plan(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, log: bool) -> Launcher:
    """A function (dx, y, dy) for matrices with the layout of these."""
    if not aligned(y) and short_rows.fits(dx, y, dy):
        return short_rows.plan("backward", y, log)
    short = y.shape[1] * y.element_size() < SHORT
    return not short and clusters.plan_backward(dx, y, dy, log) or _in_triton(y, log)


def _in_triton(y: torch.Tensor, log: bool) -> Launcher:
    m, n = y.shape
    unit = math.gcd(VECTOR // y.element_size(), n)
    if n <= SPLIT:
        block = triton.next_power_of_2(n)
        rows = max(1, 2048 // (block * y.element_size()))
        warps = min(max(rows * block // 512, 1), 16)
        numbers = m, n // unit
        options = {"UNIT": unit, "ROWS": rows, "BLOCK": block, "LOG": log, "num_warps": warps}
        return start(rows_kernel, triton.cdiv(m, rows), numbers, **options)
    pieces = triton.cdiv(n, PIECE)
    options = {"UNIT": unit, "BLOCK": PIECE, "LOG": log, "num_warps": 8}
    first = start(sums_kernel, m * pieces, (n // unit, pieces), **options)
    options["PIECES"] = triton.next_power_of_2(pieces)
    second = start(pieces_kernel, m * pieces, (n // unit, pieces), **options)

    def run(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> None:
        sums = torch.empty(m * pieces, dtype=torch.float32, device=y.device)
        first(sums, y, dy)
        second(dx, y, dy, sums)

    return run
