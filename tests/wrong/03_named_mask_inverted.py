# exercise: 3.1
# mistake: mask-inverted
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left_out = offsets > n - 1
    x = tl.load(x_ptr + offsets, left_out)
    tl.store(y_ptr + offsets, x, mask=left_out)
