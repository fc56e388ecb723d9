# exercise: 9.2
# mistake: wider-than-a-tile
# One block for all of a split, and no walk.
import triton
import triton.language as tl


@triton.jit
def combine_kernel(
    y_ptr,
    x_ptr,
    m_ptr,
    d_ptr,
    y_row_stride,
    x_row_stride,
    n_cols,
    n_splits,
    split_size,
    SPLITS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, 8192)
    splits = tl.arange(0, SPLITS)
    ms = tl.load(m_ptr + row * n_splits + splits, mask=splits < n_splits, other=-float("inf"))
    ds = tl.load(d_ptr + row * n_splits + splits, mask=splits < n_splits, other=0.0)
    m = tl.max(ms, axis=0)
    d = tl.sum(ds * tl.exp(ms - m), axis=0)
    cols = split * split_size + lanes
    mask = (lanes < split_size) & (cols < n_cols)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
    tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=mask)
