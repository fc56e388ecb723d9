# exercise: 3.3
import triton
import triton.language as tl


@triton.jit
def row_max_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full((), -float("inf"), tl.float32)
    for start in range(0, n_cols, 4):
        cols = start + tl.arange(0, 4)
        x = tl.load(x_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf"))
        best = tl.maximum(best, tl.max(x, axis=0))
    tl.store(y_ptr + row, best)
