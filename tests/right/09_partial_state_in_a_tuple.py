# exercise: 9.1
import triton
import triton.language as tl


@triton.jit
def partial_kernel(
    m_ptr, d_ptr, x_ptr, x_row_stride, n_cols, n_splits, split_size, BLOCK: tl.constexpr
):
    row, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    first = split * split_size
    last = tl.minimum(first + split_size, n_cols)
    state = (tl.full((), -float("inf"), tl.float32), tl.full((), 0.0, tl.float32))
    for start in tl.range(first, last, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < last, other=-float("inf"))
        new = tl.maximum(state[0], tl.max(x, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        state = (new, state[1] * tl.exp(state[0] - shift) + tl.sum(tl.exp(x - shift), axis=0))
    tl.store(m_ptr + row * n_splits + split, state[0])
    tl.store(d_ptr + row * n_splits + split, state[1])
