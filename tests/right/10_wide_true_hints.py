# exercise: 10.4
import torch
import triton
import triton.language as tl


@triton.jit
def hinted_kernel(y_ptr, x_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    if WHOLE:
        n_cols = tl.multiple_of(n_cols // 16 * 16, 16)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=1)[:, None]
    e = tl.exp(x)
    tl.store(y_ptr + rows[:, None] * n_cols + cols[None, :], e / tl.sum(e, axis=1)[:, None], mask=mask)


def wide_softmax(x):
    """A number of columns that 16 divides is promised to be one."""
    m, n = x.shape
    y = torch.empty_like(x)
    size, block = x.element_size(), triton.next_power_of_2(n)
    rows = max(1, 512 // (block * size))
    warps = max(1, min(16, rows * block * size >> 11))
    hinted_kernel[(-(-m // rows),)](y, x, m, n, ROWS=rows, BLOCK=block, WHOLE=n % 16 == 0, num_warps=warps)
    return y
