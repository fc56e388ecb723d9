# exercise: 3.1
# mistake: pointers-exchanged
import triton

import triton.language as tl

@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """Copy the n elements of x to y. Each program has BLOCK lanes, and together they have at least n."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(y_ptr + offsets, mask=mask)
    tl.store(x_ptr + offsets, x, mask=mask)
