# exercise: 10.4
import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(y_ptr, x_ptr, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)[None, :]
    for tile in range(tl.program_id(0), tl.cdiv(n_rows, ROWS), tl.num_programs(0)):
        rows = tile * ROWS + tl.arange(0, ROWS)[:, None]
        mask = (rows < n_rows) & (cols < n_cols)
        x = tl.load(x_ptr + rows * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
        e = tl.exp(x - tl.max(x, axis=1, keep_dims=True))
        tl.store(y_ptr + rows * n_cols + cols, e / tl.sum(e, axis=1, keep_dims=True), mask=mask)


def wide_softmax(x):
    m, n = x.shape
    y = torch.empty_like(x)
    block = max(triton.next_power_of_2(n), 16)
    rows = max(512 // (block * x.element_size()), 1)
    warps = {32768: 16, 16384: 8, 4096: 2}.get(rows * block * x.element_size(), 1)
    walking_kernel[(min(triton.cdiv(m, rows), 4),)](y, x, m, n, rows, block, num_warps=warps)
    return y
