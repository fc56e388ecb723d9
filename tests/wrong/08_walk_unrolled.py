# exercise: 8.3
# mistake: unrolled-to-a-length
# The loop has as many steps as the longest row needs, and the compiler unrolls it.
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    m = tl.full([], -float("inf"), tl.float32)
    d = tl.full([], 0.0, tl.float32)
    for i in tl.static_range(64):
        cols = i * BLOCK + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        new = tl.maximum(m, tl.max(x, axis=0))
        pivot = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - pivot) + tl.sum(tl.exp(x - pivot), axis=0)
        m = new
    for i in tl.static_range(64):
        cols = i * BLOCK + lanes
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
