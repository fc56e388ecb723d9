# exercise: 10.4
import torch
import triton
import triton.language as tl


@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
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
    m, n = x.shape
    y = torch.empty((m, n), dtype=x.dtype, device=x.device)
    for most, rows, warps in ((64, 8, 1), (256, 4, 1), (1024, 1, 2), (4096, 1, 4), (16384, 1, 16), (1 << 20, 1, 32)):
        if n <= most:
            break
    tile_softmax_kernel[lambda meta: (triton.cdiv(m, meta["ROWS"]),)](
        y, x, n, n, m, n, ROWS=rows, BLOCK=max(triton.next_power_of_2(n), 32), num_warps=warps
    )
    return y
