# exercise: 7.3
# mistake: dead-row-shares
import triton
import triton.language as tl


@triton.jit
def masked_softmax_kernel(
    y_ptr, x_ptr, keep_ptr, y_row_stride, x_row_stride, keep_row_stride, n_cols, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    keep = tl.load(keep_ptr + row * keep_row_stride + cols, mask=inside, other=0) != 0
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=keep, other=-float("inf"))
    if tl.sum(keep.to(tl.int32), axis=0) == 0:
        x = tl.where(inside, 0.0, float("nan"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=inside)
