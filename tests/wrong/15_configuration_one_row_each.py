# exercise: 15.2
# mistake: tile-too-small
import triton


def configuration(n_cols, element_size):
    return 1, max(1, min(32, triton.next_power_of_2(n_cols) * element_size // 2048))
