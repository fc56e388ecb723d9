# exercise: 10.1
import triton
import triton.language as tl


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    live = (r < n_rows) & (c < n_cols)
    x = tl.load(x_ptr + r * x_row_stride + c, live, other=float("-inf"))
    x = tl.where(r < n_rows, x, 0.0)  # so that no row has -inf alone
    e = tl.exp(x - tl.max(x, 1, keep_dims=True))
    tl.store(y_ptr + r * y_row_stride + c, e / tl.sum(e, 1)[:, None], live)
