# exercise: 5.1
import triton
import triton.language as tl


def _row_max(x, mask):
    return tl.max(tl.where(mask, x, float("-inf")), axis=0)


_row_max = triton.jit(_row_max, noinline=False)


def _softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask)
    e = tl.where(mask, tl.exp(x - _row_max(x, mask)), 0.0)
    tl.store(y_ptr + row * y_row_stride + cols, tl.fdiv(e, tl.sum(e, axis=0)), mask=mask)


softmax_kernel = triton.jit(_softmax_kernel, do_not_specialize=["n_cols", "y_row_stride"])
