"""Which kernels compute softmax along another dimension than the last one in memory, and their launches."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import triton

from . import column_clusters, columns
from .launchers import VECTOR, start
from .plans import Plans

TILE = 32768  # bytes of float32 that a program holds of each input
LINE = 64  # bytes of adjacent columns that a program takes at least, where there are so many
PROGRAMS = 1056  # eight a multiprocessor of an H200: with fewer, long columns are divided
STEP = 256  # bytes of a column that a program reads at once, where columns are divided
MOST_PIECES = 128

_forward_plans, _backward_plans = Plans(), Plans()


@dataclass(frozen=True)
class Shape:
    """A dense tensor in memory: `outer` parts, each of n steps of `inner` adjacent elements; softmax goes along n."""

    outer: int
    n: int
    inner: int


def shape(dense: torch.Tensor, dim: int) -> Shape | None:
    """How a dense tensor lies in memory, for softmax along dim; None where that is the last dimension there."""
    n, inner = dense.shape[dim], dense.stride(dim)
    return Shape(dense.numel() // (n * inner), n, inner) if n > 1 and inner > 1 else None


def forward(y: torch.Tensor, x: torch.Tensor, lies: Shape, log: bool) -> None:
    """Store the softmax of x, or its logarithm, in y, which lies in memory as x does."""
    key = log, lies, x.dtype, x.device, x.data_ptr() % VECTOR, y.data_ptr() % VECTOR
    _forward_plans.of(key, lambda: _plan_forward(y, x, lies, log))(y, x)


def backward(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, lies: Shape, log: bool) -> None:
    """Store the gradient in dx. All three lie in memory alike."""
    key = log, lies, y.dtype, y.device, *(t.data_ptr() % VECTOR for t in (dx, y, dy))
    _backward_plans.of(key, lambda: _plan_backward(dx, y, dy, lies, log))(dx, y, dy)


def _plan_forward(y: torch.Tensor, x: torch.Tensor, lies: Shape, log: bool) -> Callable[..., None]:
    unit = _unit(lies, y, x)
    if run := column_clusters.plan("forward", x, lies, unit, log):
        return run
    if whole := _whole(lies, x.element_size(), 1):
        return _start_whole(columns.tile_kernel, lies, whole, unit, log)
    return _start_pieces((columns.states_kernel, columns.apply_kernel), lies, x, unit, log, 2)


def _plan_backward(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor, lies: Shape, log: bool) -> Callable[..., None]:
    unit = _unit(lies, dx, y, dy)
    if run := column_clusters.plan("backward", y, lies, unit, log):
        return run
    if whole := _whole(lies, y.element_size(), 2):
        return _start_whole(columns.tile_gradient_kernel, lies, whole, unit, log)
    return _start_pieces((columns.sums_kernel, columns.apply_gradient_kernel), lies, y, unit, log, 1)


def _whole(lies: Shape, size: int, inputs: int) -> tuple[int, int, int] | None:
    """(outer parts, steps, columns) of the tile of a program that holds whole columns; None where they are too long."""
    block, held = triton.next_power_of_2(lies.n), TILE // inputs
    cols = min(triton.next_power_of_2(lies.inner), max(LINE // size, min(256, held // 4 // block)))
    if block * cols > held:
        return None
    return max(min(2048 // (block * cols), triton.next_power_of_2(lies.outer)), 1), block, cols


def _start_whole(kernel, lies: Shape, whole: tuple[int, int, int], unit: int, log: bool) -> Callable[..., None]:
    outers, block, cols = whole
    tiles = triton.cdiv(lies.inner, cols)
    options = {"UNIT": unit, "OUTERS": outers, "BLOCK": block, "COLS": cols, "LOG": log}
    options["num_warps"] = min(max(outers * block * cols // 1024, 1), 16)
    numbers = lies.outer, lies.n, lies.inner // unit, tiles
    return start(kernel, triton.cdiv(lies.outer, outers) * tiles, numbers, **options)


def _start_pieces(kernels, lies: Shape, x: torch.Tensor, unit: int, log: bool, kept: int) -> Callable[..., None]:
    """Two launches: what is known of all pieces (`kept` numbers a column), and the result of each."""
    cols = min(triton.next_power_of_2(lies.inner), 128 // x.element_size())
    steps = STEP // x.element_size()
    tiles = triton.cdiv(lies.inner, cols)
    pieces = max(min(triton.cdiv(PROGRAMS, lies.outer * tiles), triton.cdiv(lies.n, steps), MOST_PIECES), 1)
    length = triton.cdiv(lies.n, pieces)
    pieces = triton.cdiv(lies.n, length)
    programs = lies.outer * tiles * pieces
    numbers = lies.n, lies.inner // unit, tiles, pieces, length
    options = {"UNIT": unit, "STEPS": steps, "COLS": cols, "num_warps": 4}
    late = options | {"PIECES": triton.next_power_of_2(pieces), "LOG": log}
    if kept == 1:
        options["LOG"] = log
    first, second = start(kernels[0], programs, numbers, **options), start(kernels[1], programs, numbers, **late)

    def run(result: torch.Tensor, *inputs: torch.Tensor) -> None:
        scratch = torch.empty(kept * programs * cols, dtype=torch.float32, device=result.device)
        first(scratch, *inputs)
        second(result, *inputs, scratch)

    return run


def _unit(lies: Shape, *tensors: torch.Tensor) -> int:
    """The largest power of two, up to the elements of a vector, at which every step of all tensors begins."""
    size = tensors[0].element_size()
    return math.gcd(VECTOR // size, lies.inner, *((t.data_ptr() % VECTOR) // size or VECTOR for t in tensors))
