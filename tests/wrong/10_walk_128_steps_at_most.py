# exercise: 10.2
# mistake: rows-left-out
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
    # Where am I? This program's rows, the columns, and a mask for both (3 lines).
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    # Load the tile, once (about 2 lines).
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf"))
    # The four lines of lesson 04, each reduction along the axis of the columns.
    row_max = tl.max(x, axis=1)
    numerator = tl.exp(x - row_max[:, None])
    denominator = tl.sum(numerator, axis=1)
    y = numerator / denominator[:, None]
    # Store the tile (1 line).
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Softmax of all rows of an n_rows × n_cols matrix, shared evenly among all programs that were launched.

    BLOCK is a power of two, at least n_cols.
    """
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # Walk over this program's rows; in the loop, 5.1 (about 6 lines).
    for row in range(tl.program_id(0), tl.minimum(n_rows, tl.program_id(0) + 128 * tl.num_programs(0)), tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)

