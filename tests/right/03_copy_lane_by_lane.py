# exercise: 3.1
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    for lane in range(BLOCK):
        if start + lane < n:
            tl.store(y_ptr + start + lane, tl.load(x_ptr + start + lane))
