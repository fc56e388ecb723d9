# exercise: 9.1
# mistake: wider-than-a-tile
# One block for all of a split, and no walk.
import triton
import triton.language as tl


@triton.jit
def partial_kernel(m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    split = tl.program_id(1)
    lanes = tl.arange(0, 8192)
    cols = split * split_size + lanes
    mask = (lanes < split_size) & (cols < n_cols)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    m = tl.max(x, axis=0)
    d = tl.sum(tl.exp(x - tl.where(m == -float("inf"), 0.0, m)), axis=0)
    tl.store(m_ptr + row * n_splits + split, m)
    tl.store(d_ptr + row * n_splits + split, d)
