# exercise: 3.1
# mistake: before-the-beginning
import triton


import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(0) * BLOCK + BLOCK <= n:
        tl.store(y_ptr - offsets, tl.load(x_ptr + offsets))
    else:
        mask = n > offsets
        tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
