# exercise: 15.2
# mistake: tile-too-large
import triton


def configuration(n_cols, element_size):
    size = 8 * triton.next_power_of_2(n_cols)
    return (8, min(32, max(1, size // 512))) if size <= 65536 else (1, 32)
