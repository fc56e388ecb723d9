"""The gradient of softmax: dx = y · (dy − Σ y·dy) for every row. It needs y and dy, and not x."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def backward_kernel(dx_ptr, y_ptr, dy_ptr, n_cols, BLOCK: tl.constexpr, ONE_TILE: tl.constexpr):
    """The gradient of row program_id(0) of contiguous matrices (M × n_cols), in tiles of BLOCK columns.

    A row that is no longer than BLOCK is read once; a longer one twice.
    """
    row = tl.program_id(0).to(tl.int64) * n_cols
    lanes = tl.arange(0, BLOCK)
    if ONE_TILE:
        mask = lanes < n_cols
        y = tl.load(y_ptr + row + lanes, mask=mask, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row + lanes, mask=mask, other=0.0).to(tl.float32)
        tl.store(dx_ptr + row + lanes, y * (dy - tl.sum(y * dy, axis=0)), mask=mask)
    else:
        products = tl.zeros([BLOCK], tl.float32)
        for start in range(0, n_cols, BLOCK):
            mask = start + lanes < n_cols
            y = tl.load(y_ptr + row + start + lanes, mask=mask, other=0.0).to(tl.float32)
            products += y * tl.load(dy_ptr + row + start + lanes, mask=mask, other=0.0).to(tl.float32)
        total = tl.sum(products, axis=0)
        for start in range(0, n_cols, BLOCK):
            mask = start + lanes < n_cols
            y = tl.load(y_ptr + row + start + lanes, mask=mask, other=0.0).to(tl.float32)
            dy = tl.load(dy_ptr + row + start + lanes, mask=mask, other=0.0).to(tl.float32)
            tl.store(dx_ptr + row + start + lanes, y * (dy - total), mask=mask)


def launch(dx: torch.Tensor, y: torch.Tensor, dy: torch.Tensor) -> None:
    """Store the gradient in dx. All three are M×N, contiguous, of float32, bfloat16 or float16."""
    m, n = y.shape
    block = min(triton.next_power_of_2(n), 16384)
    warps = min(max(block // 512, 1), 16)
    backward_kernel[(m,)](dx, y, dy, n, BLOCK=block, ONE_TILE=n <= block, num_warps=warps)
