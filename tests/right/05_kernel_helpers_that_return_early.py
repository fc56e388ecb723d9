# exercise: 5.1
import triton
import triton.language as tl


@triton.jit
def row_pointer(base, stride, row):
    return base + row.to(tl.int64) * stride


@triton.jit
def load_row(base, cols, n, PAD: tl.constexpr, EVEN: tl.constexpr):
    if EVEN:
        return tl.load(base + cols)
    else:
        return tl.load(base + cols, mask=cols < n, other=PAD)


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = load_row(row_pointer(x_ptr, x_row_stride, row), cols, n_cols, float("-inf"), BLOCK == 1)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(row_pointer(y_ptr, y_row_stride, row) + cols, e / tl.sum(e, 0), mask=cols < n_cols)
