# exercise: 8.3
# two tiles a step, joined into one block of twice their size
import triton
import triton.language as tl


@triton.jit
def online_softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    x_ptr += row * x_row_stride
    m = -float("inf")
    d = 0.0
    for start in range(0, n_cols, 2 * BLOCK):
        left = start + lanes
        right = left + BLOCK
        a = tl.load(x_ptr + left, mask=left < n_cols, other=-float("inf"))
        b = tl.load(x_ptr + right, mask=right < n_cols, other=-float("inf"))
        both = tl.reshape(tl.join(a, b), [2 * BLOCK])
        new = tl.maximum(m, tl.max(both, axis=0))
        shift = tl.where(new == -float("inf"), 0.0, new)
        d = d * tl.exp(m - shift) + tl.sum(tl.exp(both - shift), axis=0)
        m = new
    for start in range(0, n_cols, BLOCK):
        cols = start + lanes
        x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf"))
        tl.store(y_ptr + row * y_row_stride + cols, tl.exp(x - m) / d, mask=cols < n_cols)
