# exercise: 10.2
import triton
import triton.language as tl


@triton.jit
def persistent_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    step = tl.num_programs(0).to(tl.int64)
    x_ptr += tl.program_id(0).to(tl.int64) * x_row_stride
    y_ptr += tl.program_id(0).to(tl.int64) * y_row_stride
    for _ in range(tl.program_id(0), n_rows, step):
        x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(y_ptr + cols, y, mask=mask)
        x_ptr += step * x_row_stride
        y_ptr += step * y_row_stride
