# exercise: 10.2
import triton
import triton.language as tl


@triton.jit
def one_row(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0).to(tl.int64), n_rows, tl.num_programs(0)):
        one_row(y_ptr + row * y_row_stride, x_ptr + row * x_row_stride, n_cols, BLOCK)
