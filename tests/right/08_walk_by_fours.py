# exercise: 8.3
# four tiles a step, by a loop that the compiler unrolls
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, 4 * BLOCK):
        for i in tl.static_range(4):
            cols = start + i * BLOCK + lanes
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
            new = tl.maximum(m, tl.max(x, axis=0))
            shift = tl.where(new == -float("inf"), 0.0, new)
            d = d * tl.exp(m - shift) + tl.sum(tl.exp(x - shift), axis=0)
            m = new
    for start in range(0, n_cols, 4 * BLOCK):
        for i in tl.static_range(4):
            cols = start + i * BLOCK + lanes
            x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
            tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
