# exercise: 3.1
# Two elements under each lane of 64 bits, and the last one alone.
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y_ptr, x_ptr, n, BLOCK: tl.constexpr):
    start, lanes = tl.program_id(0) * BLOCK, tl.arange(0, BLOCK)
    count = tl.minimum(BLOCK, n - start)
    pair = tl.pointer_type(tl.int64)
    pairs = tl.load((x_ptr + start).to(pair) + lanes, mask=lanes < count // 2, other=0)
    tl.store((y_ptr + start).to(pair) + lanes, pairs, mask=lanes < count // 2)
    alone = (lanes < count) & (lanes >= 2 * (count // 2))
    tl.store(y_ptr + start + lanes, tl.load(x_ptr + start + lanes, mask=alone, other=0.0), mask=alone)
