# exercise: 15.2
# mistake: too-many-warps
import triton


def configuration(n_cols, element_size):
    block = triton.next_power_of_2(n_cols)
    rows = max(1, min(8, 2048 // (block * element_size)))
    return rows, min(32, max(1, rows * block // 128))
