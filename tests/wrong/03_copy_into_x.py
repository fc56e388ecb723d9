# exercise: 3.1
# mistake: input-overwritten
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, 0 * x, mask=offsets < n)
    tl.store(y_ptr + offsets, x, mask=offsets < n)
