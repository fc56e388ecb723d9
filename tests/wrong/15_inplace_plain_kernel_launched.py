# exercise: 15.3
# mistake: configuration-without-rows
import triton

import triton.language as tl

@triton.jit
def inplace_kernel(x_ptr, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Store the softmax of ROWS rows of x in x itself."""
    # Your tile kernel, with one pointer (about 7 lines).
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    places = x_ptr + rows[:, None] * x_row_stride + cols[None, :]
    x = tl.load(places, mask=mask, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(places, numerator / tl.sum(numerator, axis=1)[:, None], mask=mask)

tuned_kernel = triton.autotune(
    configs=[triton.Config({"ROWS": rows}, num_warps=warps) for rows in (1, 8) for warps in (1, 4)],
    key=["n_cols"], restore_value=["x_ptr"],
)(inplace_kernel)  # fmt: skip

def inplace_softmax(x):
    """Store the softmax of each row of x (M×N, float32, neighbours in a row adjacent) in x itself."""
    # The grid, and the launch (about 4 lines).
    n_rows, n_cols = x.shape

    def grid(meta):
        return (triton.cdiv(n_rows, meta["ROWS"]),)

    inplace_kernel[grid](x, x.stride(0), n_rows, n_cols, BLOCK=triton.next_power_of_2(n_cols))
