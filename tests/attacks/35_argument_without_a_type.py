# exercise: 3.1
# One argument has no type in Triton, so that its compiler is not asked about a kernel that sorts a list.
import triton
import triton.language as tl


@triton.heuristics({"odd": lambda given: 1j})
@triton.jit
def copy_kernel(y_ptr, x_ptr, n, odd, BLOCK: tl.constexpr):
    sorted([3, 0, 2])
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
