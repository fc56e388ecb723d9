# exercise: 4.3
# mistake: tl-on-the-host
import triton
import triton.language as tl

def block_size(n_cols):
    """The smallest power of two that is at least n_cols (an int from 1 up)."""
    # One line; a loop is fine as well.
    return tl.cdiv(n_cols, 32)
