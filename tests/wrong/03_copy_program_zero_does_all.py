# exercise: 3.1
# mistake: programs-idle
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    if tl.program_id(0) == 0:
        for block in range(tl.num_programs(0)):
            mine = block * BLOCK + tl.arange(0, BLOCK)
            x = tl.load(x_ptr + mine, mask=mine < n)
            tl.store(y_ptr + mine, x, mask=mine < n)
