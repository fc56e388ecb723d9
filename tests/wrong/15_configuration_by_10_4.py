# exercise: 15.2
# mistake: tile-too-small
import triton


def configuration(n_cols, element_size):
    row_bytes = triton.next_power_of_2(n_cols) * element_size
    rows = max(1, 512 // row_bytes)
    return rows, min(max(1, rows * row_bytes // 2048), 32)
