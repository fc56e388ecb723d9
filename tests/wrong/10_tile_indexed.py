# exercise: 10.1
# mistake: indexing-pointer
import triton
import triton.language as tl


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, 1] & (cols < n_cols)[1, :]
    x = tl.load(x_ptr + rows[:, 1] * x_row_stride + cols[1, :], mask=mask, other=-float("inf"))
    row_max = tl.max(x, axis=1)
    numerator = tl.exp(x - row_max[:, 1])
    denominator = tl.sum(numerator, axis=1)
    y = numerator / denominator[:, 1]
    tl.store(y_ptr + rows[:, 1] * y_row_stride + cols[1, :], y, mask=mask)
