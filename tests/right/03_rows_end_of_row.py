# exercise: 3.2
import triton
import triton.language as tl


@triton.jit
def copy_rows_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    begin = tl.program_id(0) * row_stride
    offsets = begin + tl.arange(0, BLOCK)
    mask = offsets < begin + n_cols
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask), mask=mask)
