# exercise: 7.1
import triton
import triton.language as tl


@triton.jit
def _up(x, TO: tl.constexpr):
    if x.dtype == TO:
        return x
    else:
        return x.to(TO)


@triton.jit
def half_softmax_kernel(
    y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, SCALE: tl.constexpr, BLOCK: tl.constexpr, ACC: tl.constexpr = tl.float32
):
    OUT: tl.constexpr = y_ptr.dtype.element_ty
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    x = _up(tl.load(x_ptr + row * x_row_stride + cols, cols < n_cols, -float("inf")), ACC)
    x *= SCALE
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + row * y_row_stride + cols, _up(e / tl.sum(e, 0), OUT), cols < n_cols)
