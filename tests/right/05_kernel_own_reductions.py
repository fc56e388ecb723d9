# exercise: 5.1
import triton
import triton.language as tl


@triton.jit
def _plus(a, b):
    return a + b


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    x_ptr += r * x_row_stride
    y_ptr += r * y_row_stride
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + c, mask=c < n_cols, other=float("-inf"))
    z = v - tl.reduce(v, 0, _larger)
    lse = tl.log(tl.reduce(tl.exp(z), 0, _plus))
    tl.store(y_ptr + c, tl.exp(z - lse), mask=c < n_cols)
