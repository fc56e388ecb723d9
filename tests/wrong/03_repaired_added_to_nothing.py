# exercise: 3.4
# mistake: unstored-loaded
import triton
import triton.language as tl


@triton.jit
def repaired_kernel(y_ptr, x_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols, mask=mask, other=0.0)
    tl.atomic_add(y_ptr + row * row_stride + cols, tl.where(mask, x * 2, 0.0), mask=mask)
