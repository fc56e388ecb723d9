# exercise: 5.1
import triton
from triton import language


@triton.jit
def softmax_kernel(y_ptr, x_ptr, y_row_stride, x_row_stride, n_cols, BLOCK: language.constexpr):
    row = language.program_id(0).to(language.int64)
    cols = language.arange(0, BLOCK)
    mask = cols < n_cols
    x = language.load(x_ptr + row * x_row_stride + cols, mask=mask, other=-float("inf"))
    numerator = language.exp(x - language.max(x, axis=0))
    y = numerator / language.sum(numerator, axis=0)
    language.store(y_ptr + row * y_row_stride + cols, y, mask=mask)
