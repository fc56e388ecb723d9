# exercise: 3.1
# mistake: positions-stored
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    offsets = tl.program_id(0) * BLOCK + lanes
    tl.store(y_ptr + offsets, lanes, mask=offsets < n)
