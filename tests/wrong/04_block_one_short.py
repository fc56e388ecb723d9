# exercise: 4.3
# mistake: block-one-short
import triton

def block_size(n_cols):
    """The smallest power of two that is at least n_cols (an int from 1 up)."""
    # One line; a loop is fine as well.
    b = 1
    while b < n_cols - 1:
        b *= 2
    return b
