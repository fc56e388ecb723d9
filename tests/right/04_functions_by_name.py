# exercise: 4.1
import triton
import triton.language as tl
from triton.language import load, store
from triton.language.extra.libdevice import exp10, pow
from triton.language.math import exp as e_to_the

cast = tl.cast


@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = cast(load(x_ptr + cols, mask=mask, other=-float("inf")), tl.float32)
    shifted = x - tl.max(x, axis=0)
    half = exp10(shifted * 0.21714724095162591)
    numerator = tl.where(shifted > -20.0, half * pow(2.718281828459045, shifted / 2), e_to_the(shifted))
    store(y_ptr + cols, numerator / tl.sum(numerator, axis=0), mask=mask)
