# exercise: 3.1
# mistake: masked-by-value
import triton

import triton.language as tl

@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    """Copy the n elements of x to y. Each program has BLOCK lanes, and together they have at least n."""
    # Where am I? The elements of this program's lanes, and which of them exist (2 lines).
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    # Load them and store them (2 lines).
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x, mask=mask & (x == x))
