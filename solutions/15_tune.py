# %% [markdown]
# # 15 · Tune

# %%
import torch
import triton
import triton.language as tl

# %%
@triton.jit
def tile_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr
):
    """10.1 with a cast: softmax of ROWS rows. ROWS and BLOCK are powers of two, BLOCK is at least n_cols."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, BLOCK)
    mask = (rows < n_rows)[:, None] & (cols < n_cols)[None, :]
    x = tl.load(x_ptr + rows[:, None] * x_row_stride + cols[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    numerator = tl.exp(x - tl.max(x, axis=1)[:, None])
    y = numerator / tl.sum(numerator, axis=1)[:, None]
    tl.store(y_ptr + rows[:, None] * y_row_stride + cols[None, :], y, mask=mask)

# %%
@triton.jit
def staged_rows_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """10.2 with a cast: programs that stay and walk over rows. The loads of the next STAGES - 1 rows are under way."""
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf")).to(tl.float32)
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)

# %%
@triton.jit
def staged_online_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr, STAGES: tl.constexpr
):
    """8.3 with a cast. In both walks, the loads of the next STAGES - 1 tiles are under way."""
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in tl.range(0, n_cols, BLOCK, num_stages=STAGES):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(m, tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
        m = new
    for start in tl.range(0, n_cols, BLOCK, num_stages=STAGES):
        cols = start + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
