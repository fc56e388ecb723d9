# exercise: 3.1
# mistake: branch-on-lanes
import triton
import triton.language as tl

@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    if mask:
        x = tl.load(x_ptr + offs)
        tl.store(y_ptr + offs, x)
