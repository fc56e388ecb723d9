# exercise: 3.2
import triton
import triton.language as tl


@triton.jit
def copy_rows_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * row_stride
    ins = x_ptr + start + tl.arange(0, BLOCK)
    outs = y_ptr + start + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < n_cols
    tl.store(outs, tl.load(ins, mask=inside, other=0), mask=inside)
