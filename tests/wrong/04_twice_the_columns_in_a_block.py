# exercise: 4.3
# mistake: columns-doubled
import triton

def block_size(n_cols):
    """The smallest power of two that is at least n_cols (an int from 1 up)."""
    # One line; a loop is fine as well.
    return 2 * n_cols
