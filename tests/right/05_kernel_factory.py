# exercise: 5.1
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)


def make_kernel(use_exp2=False):
    @triton.jit
    def _exp(x):
        return tl.exp2(x * LOG2E)

    @triton.jit
    def _normalise(e):
        return e / tl.sum(e, axis=0)

    @triton.jit
    def kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        cols = tl.arange(0, BLOCK)
        mask = cols < n_cols
        x = tl.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
        e = _exp(x - tl.max(x, axis=0))
        tl.store(y_ptr + row * y_row_stride + cols, _normalise(e), mask=mask)

    return kernel


softmax_kernel = make_kernel(use_exp2=True)
