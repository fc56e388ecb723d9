# exercise: 3.1
# mistake: values-unused
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y_ptr + offsets, mask, mask=mask)
