# exercise: 10.4
# mistake: bad-num-warps
import torch

import triton

import triton.language as tl

@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """Softmax of ROWS rows of an n_rows × n_cols matrix: program 0 has the first ROWS of them, program 1 the next.

    ROWS and BLOCK are powers of two, BLOCK is at least n_cols.
    """
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf"))
    row_max = tl.max(x, axis=1)
    numerator = tl.exp(x - row_max[:, None])
    denominator = tl.sum(numerator, axis=1)
    y = numerator / denominator[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)

def wide_softmax(x):
    """Softmax of each row of x (M×N, contiguous, float32 or bfloat16) in its dtype, by tiles of 10.1.

    Where 16 divides N, a load moves 16 bytes a thread. Nothing is spilled.
    """
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    row_bytes = block * x.element_size()
    rows = max(1, 512 // row_bytes)  # 16 bytes for each thread of a warp
    num_warps = rows * row_bytes // 2048  # at most four such loads a thread, up to 32 warps
    sizes = (y, x, y.stride(0), x.stride(0), n_rows, n_cols)
    tile_softmax_kernel[(triton.cdiv(n_rows, rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=num_warps)
    return y
