"""Selects the kernel for a matrix. Each rule has its reason beside it; docs/softmax_on_h200.json has the times."""

from __future__ import annotations

import torch
import triton

from .launchers import (
    KINDS,
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

__all__ = [
    "KINDS", "aligned", "can_pair", "can_share", "launch", "odd", "online", "pairs", "route", "shared", "split",
    "tile", "two",
]  # fmt: skip

# Bytes of a matrix, by the bytes of an element, that a cache can hold between two launches.
FEW = {4: 16_000_000, 2: 34_000_000}
_routes: dict[tuple, str] = {}


def route(x: torch.Tensor) -> str:
    """The kernel for a matrix x (M×N): "tile", "two", "odd", "pairs", "split", "shared" or "online"."""
    m, n = x.shape
    half = x.element_size() == 2
    nvidia = on_nvidia(x)
    if half and not aligned(x) and x.is_contiguous() and 256 < n <= 32768:
        return "odd"  # 2 bytes a lane leave most of the bus idle
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
    if can_share(x):
        return "shared"
    return "split" if nvidia and (not half or paired(x)) else "online"


def launch(y: torch.Tensor, x: torch.Tensor) -> None:
    """Store the softmax of the rows of x in y. Both are M×N, of float32 or 16 bits, with adjacent columns."""
    key = layout(y, x)
    name = _routes.get(key)
    if name is None:
        name = _routes[key] = route(x)
    globals()[name](y, x)
