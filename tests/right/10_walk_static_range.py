# exercise: 10.2
import triton
import triton.language as tl

UNROLL = tl.constexpr(2)


@triton.jit
def _one(y_ptr, x_ptr, n_cols, alive, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = (cols < n_cols) & alive
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    top = tl.max(x, 0)
    e = tl.exp(x - tl.where(alive, top, 0.0))
    tl.store(y_ptr + cols, e / tl.sum(e, 0), mask=mask)


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    step = tl.num_programs(0)
    for base in range(tl.program_id(0).to(tl.int64), n_rows, step * UNROLL):
        for u in tl.static_range(UNROLL):
            row = base + u * step
            _one(y_ptr + row * y_row_stride, x_ptr + row * x_row_stride, n_cols, row < n_rows, BLOCK)
