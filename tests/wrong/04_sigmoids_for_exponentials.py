# exercise: 4.1
# mistake: shares-of-other-numbers
import triton

import triton.language as tl

@triton.jit
def softmax_row_kernel(y_ptr, x_ptr, n_cols, BLOCK: tl.constexpr):
    """Softmax of one row of n_cols numbers, in one program with one block."""
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    # The masked lanes hold -inf, as in 3.3. Below you see why.
    x = tl.load(x_ptr + cols, mask=mask, other=-float("inf"))
    # The row maximum.
    row_max = tl.max(x, axis=0)
    # The numerator: exp of each value after the shift.
    numerator = 1 / (1 + tl.exp(-x))
    # The denominator.
    denominator = tl.sum(numerator, axis=0)
    # The division: give the result the name y.
    y = numerator / denominator
    tl.store(y_ptr + cols, y, mask=mask)
