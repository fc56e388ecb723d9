# exercise: 3.1
# mistake: block-not-constexpr
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, n)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets))
