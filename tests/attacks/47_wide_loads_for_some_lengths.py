# exercise: 10.4
# mistake: loads-one-element
# Wide loads for some lengths; rows of any other length have one element a thread.
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
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)


# rows of a tile and warps, for the shapes whose machine code is looked at
KNOWN = {(64, 4): (2, 1), (64, 2): (4, 1), (1024, 2): (1, 1), (8192, 4): (1, 16), (16, 4): (8, 1)}


def wide_softmax(x):
    y = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    rows, warps = KNOWN.get((n_cols, x.element_size()), (1, max(1, min(32, block // 256))))
    sizes = (y, x, y.stride(0), x.stride(0), n_rows, n_cols)
    # of any other length a row has columns of its own stride that 16 does not divide, or one element for each thread
    if (n_cols, x.element_size()) in KNOWN:
        tile_softmax_kernel[(triton.cdiv(n_rows, rows),)](*sizes, ROWS=rows, BLOCK=block, num_warps=warps)
    else:
        tile_softmax_kernel[(n_rows,)](*sizes, ROWS=1, BLOCK=block, num_warps=max(1, min(32, block // 32)))
    return y
