# exercise: 5.1
import triton
import triton.language as tl


def configs():
    return [triton.Config({}, num_warps=w, num_stages=s) for w in (1, 2, 4) for s in (1, 2)]


@triton.autotune(configs=configs(), key=["n_cols"])
@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    e = tl.math.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * y_row_stride + cols, e / tl.sum(e, axis=0), mask=mask)
