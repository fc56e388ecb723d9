# exercise: 10.2
import triton
import triton.language as tl


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    me = tl.program_id(0)
    share = n_rows // tl.num_programs(0)
    left = n_rows % tl.num_programs(0)
    first = me * share + tl.minimum(me, left)
    last = first + share + tl.where(me < left, 1, 0)
    for row in range(first, last):
        x = tl.load(x_ptr + row.to(tl.int64) * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + tl.cast(row, tl.int64) * y_row_stride + cols, y, mask=mask)
