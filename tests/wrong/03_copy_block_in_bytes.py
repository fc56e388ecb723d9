# exercise: 3.1
# mistake: stride-in-bytes
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    mask = pid * BLOCK + lanes < n
    x = tl.load(x_ptr + pid * BLOCK * 4 + lanes, mask=mask)
    tl.store(y_ptr + pid * BLOCK * 4 + lanes, x, mask=mask)
