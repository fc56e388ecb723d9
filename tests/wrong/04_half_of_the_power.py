# exercise: 4.3
# mistake: block-rounded-down
import triton

def block_size(n_cols):
    """The smallest power of two that is at least n_cols (an int from 1 up)."""
    # One line; a loop is fine as well.
    return triton.next_power_of_2(n_cols) // 2
