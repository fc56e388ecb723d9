# exercise: 15.2
# mistake: state-swapped
import triton


def configuration(n_cols, element_size):
    row_bytes = triton.next_power_of_2(n_cols) * element_size
    rows = max(1, min(8, 2048 // row_bytes))
    return max(1, min(32, rows * row_bytes // 2048)), rows
