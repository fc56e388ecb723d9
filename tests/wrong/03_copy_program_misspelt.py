# exercise: 3.1
# mistake: no-such-function
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.programid(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
