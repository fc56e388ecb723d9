# exercise: 3.1
# mistake: returns-from-kernel
import triton
import triton.language as tl

@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    return tl.store(y_ptr + offs, x, mask=mask)
