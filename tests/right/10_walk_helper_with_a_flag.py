# exercise: 10.2
import triton
import triton.language as tl


@triton.jit
def _one(y_ptr, x_ptr, cols, n_cols, EVEN: tl.constexpr):
    if EVEN:
        x = tl.load(x_ptr + cols)
    else:
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    y = e / tl.sum(e, 0)
    if EVEN:
        tl.store(y_ptr + cols, y)
    else:
        tl.store(y_ptr + cols, y, mask=cols < n_cols)


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    row = tl.program_id(0).to(tl.int64)
    while row < n_rows:
        if n_cols == BLOCK:
            _one(y_ptr + row * y_row_stride, x_ptr + row * x_row_stride, cols, n_cols, True)
        else:
            _one(y_ptr + row * y_row_stride, x_ptr + row * x_row_stride, cols, n_cols, False)
        row += tl.num_programs(0)
