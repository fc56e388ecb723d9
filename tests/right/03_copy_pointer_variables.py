# exercise: 3.1
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    start = pid * BLOCK
    lanes = tl.arange(0, BLOCK)
    inside = lanes < n - start
    x_ptr += start
    y_ptr += start
    tl.store(y_ptr + lanes, tl.load(x_ptr + lanes, inside), inside)
