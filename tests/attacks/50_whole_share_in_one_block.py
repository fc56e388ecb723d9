# exercise: 10.2
# mistake: wider-than-a-tile
# One block for all rows of a program, and no walk.
import triton
import triton.language as tl


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    rows = tl.program_id(0) + tl.arange(0, 512).to(tl.int64) * tl.num_programs(0)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)
