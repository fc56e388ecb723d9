# exercise: 10.2
import triton
import triton.language as tl


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    me = tl.program_id(0).to(tl.int64)
    steps = tl.cdiv(n_rows - me, tl.num_programs(0))
    for step in range(0, steps):
        row = me + (steps - 1 - step) * tl.num_programs(0)
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
