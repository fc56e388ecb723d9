# exercise: 10.4
# mistake: spills
import torch
import triton
import triton.language as tl


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(y_ptr + rows * y_row_stride + cols, numerator / tl.sum(numerator, axis=1)[:, None], mask=mask)


def wide_softmax(x):
    n_rows, n_cols = x.shape
    y = torch.empty_like(x)
    grid = (triton.cdiv(n_rows, 16),)
    tile_softmax_kernel[grid](
        y, x, y.stride(0), x.stride(0), n_rows, n_cols,
        ROWS=16, BLOCK=triton.next_power_of_2(n_cols), num_warps=4,
    )
    return y
