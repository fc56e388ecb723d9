# exercise: 5.1
# status: timeout
# Each function calls the next one twice, with another constant each time.
import triton
import triton.language as tl


@triton.jit
def again(y_ptr, N: tl.constexpr, M: tl.constexpr):
    if N > 0:
        again(y_ptr, N - 1, 2 * M)
        again(y_ptr, N - 1, 2 * M + 1)


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    again(y_ptr, 40, 0)
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=cols < n_cols, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)
