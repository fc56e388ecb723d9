# exercise: 10.1
import triton
import triton.language as tl


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[None, :]
    cols = tl.arange(0, BLOCK)[:, None]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf"))
    row_max = tl.max(x, axis=0)
    numerator = tl.exp(x - row_max[None, :])
    denominator = tl.sum(numerator, axis=0)
    y = numerator / denominator[None, :]
    tl.store(y_ptr + rows * y_row_stride + cols, y, mask=mask)
