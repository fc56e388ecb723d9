# exercise: 10.2
# mistake: shares-unequal
import triton
import triton.language as tl


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    n = tl.minimum(tl.num_programs(0), n_rows)
    per = n_rows // n
    end = p * per + per
    if p == n - 1:
        end = n_rows
    if p >= n:
        end = 0
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in range((p * per).to(tl.int64), end):
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * y_row_stride + cols, numerator / tl.sum(numerator, axis=0), mask=mask)
