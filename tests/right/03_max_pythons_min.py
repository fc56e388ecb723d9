# exercise: 3.3
import triton
import triton.language as tl


@triton.jit
def row_max_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # Triton's compiler takes Python's min of a block and a number, lane by lane.
    cols = min(tl.arange(0, BLOCK), n_cols - 1)
    tl.store(y_ptr + row, tl.max(tl.load(x_ptr + row * row_stride + cols), axis=0))
