"""Selects the kernel for a matrix. Each rule has its reason beside it; records/softmax_on_h200.json has the times."""

from __future__ import annotations

import torch
import triton

from . import clusters, short_rows
from .launchers import (
    KINDS,
    Launcher,
    aligned,
    can_pair,
    can_share,
    layout,
    odd,
    on_nvidia,
    online,
    paired,
    pairs,
    shared,
    split,
    tile,
    two,
)
from .plans import Plans

__all__ = [
    "KINDS", "aligned", "can_pair", "can_share", "launch", "odd", "online", "pairs", "route", "shared", "split",
    "tile", "two",
]  # fmt: skip

# Bytes of a matrix, by the bytes of an element, that a cache can hold between two launches.
FEW = {4: 24_000_000, 2: 34_000_000}
SHARED = 5_000_000  # bytes of a row; the pieces of a longer one wait for more programs than they gain
_plans = Plans()


def route(x: torch.Tensor) -> str:
    """The kernel for a matrix x (M×N): "short", "clusters", or one of the launchers by its name."""
    if short_rows.fits(x) and not aligned(x):
        return "short"
    return "clusters" if clusters.available(x.device) and _in_clusters(x) else _in_triton(x)


def _in_clusters(x: torch.Tensor) -> bool:
    """Whether thread block clusters are faster than Triton's kernels for x."""
    m, n = x.shape
    row = n * x.element_size()
    if row > 2_000_000:
        return False  # no cluster holds such a row
    if x.element_size() == 4 and aligned(x) and (n > 65536 and m > 128 or n >= 262144 and m >= 64):
        return not can_share(x)  # programs that share many such rows have more of them under way
    return row > 12000 or row >= 8192 and m <= 64


def _in_triton(x: torch.Tensor) -> str:
    m, n = x.shape
    half = x.element_size() == 2
    nvidia = on_nvidia(x)
    if half and not aligned(x) and x.is_contiguous() and 256 < n <= 32768:
        return "odd"  # 2 bytes per lane leave most of the bus idle
    block = triton.next_power_of_2(n) // 2
    rest = n - block
    if (4096 if half else 1024) <= block <= 16384 and (2 * rest < block or half and 2 * rest == block):
        return "two"  # one block would be a quarter empty, or more
    if n <= 8192 or not half and n <= 32768 or not nvidia and n <= 16384:
        return "tile"  # one program holds a row, or several
    if can_pair(x) and (n <= 16384 or n == 32768):
        return "pairs"  # as float32 such a row would fill the registers
    if m * n * x.element_size() <= FEW[x.element_size()]:
        return "split"  # too small a matrix for programs that wait for each other
    if n * x.element_size() <= SHARED and can_share(x):
        return "shared"
    return "split" if nvidia and (not half or paired(x)) else "online"


def launch(y: torch.Tensor, x: torch.Tensor, log: bool = False) -> None:
    """Store the softmax of the rows of x in y, or its logarithm. Both are M×N, of KINDS, with adjacent columns."""
    _plans.of((log, *layout(y, x)), lambda: _plan(y, x, log))(y, x)


def _plan(y: torch.Tensor, x: torch.Tensor, log: bool) -> Launcher:
    chosen = route(x)
    if chosen == "short" and short_rows.fits(y):
        return short_rows.plan("forward", x, log)
    run = clusters.plan_forward(y, x, log) if chosen == "clusters" else None
    return run or globals()[_in_triton(x)].plan(y, x, log)
