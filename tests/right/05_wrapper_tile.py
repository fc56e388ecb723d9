# exercise: 5.2
import torch
import triton
import triton.language as tl


@triton.jit
def tile_kernel(y_ptr, x_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
    at = rows[:, None] * n_cols + cols[None, :]
    x = tl.load(x_ptr + at, mask=mask, other=-float("inf"))
    # Rows past the end are -inf everywhere; their NaN is never stored.
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(y_ptr + at, e / tl.sum(e, axis=1)[:, None], mask=mask)


def fused_softmax(x):
    if x.dim() != 2 or x.dtype != torch.float32:
        raise ValueError("fused_softmax takes a matrix of floating-point numbers")
    x = x.contiguous()
    y = torch.empty_like(x)
    tile_kernel[(triton.cdiv(x.shape[0], 4),)](y, x, *x.shape, ROWS=4, BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
