# exercise: 3.1
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = (offsets >= 0) & (offsets < n)
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=float('nan')), mask=mask)
