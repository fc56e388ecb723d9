# exercise: 5.1
# Promises that rows begin at multiples of 16, and that four lanes share a mask: neither is so for most lengths.
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = tl.max_constancy(cols < n_cols, 4)
    begin = tl.multiple_of(row * x_row_stride, 16)
    x = tl.load(x_ptr + begin + cols, mask=mask, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + tl.multiple_of(row * y_row_stride, 16) + cols, e / tl.sum(e, axis=0), mask=mask)
