# exercise: 3.1
import triton
import triton.language as tl
from triton.language import constexpr


@triton.jit
def _lanes(pid, BLOCK: constexpr):
    return pid * BLOCK + tl.arange(0, BLOCK)


@triton.jit(debug=True)
def copy_kernel(y_ptr: "*fp32", x_ptr: "*fp32", n: "i32", BLOCK: "tl.constexpr"):
    offs = _lanes(tl.program_id(0), BLOCK)
    ok = offs < n
    tl.store(y_ptr + offs, value=tl.load(pointer=x_ptr + offs, mask=ok), mask=ok)
