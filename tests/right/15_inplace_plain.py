# exercise: 15.3
import torch, triton
import triton.language as tl

@triton.jit
def inplace_kernel(x_ptr, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
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
)(inplace_kernel)

def inplace_softmax(x):
    n_rows, n_cols = x.shape

    def grid(meta):
        return (triton.cdiv(n_rows, meta["ROWS"]),)

    tuned_kernel[grid](x, x.stride(0), n_rows, n_cols, BLOCK=triton.next_power_of_2(n_cols))
