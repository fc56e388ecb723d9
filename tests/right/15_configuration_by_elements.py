# exercise: 15.2
import math


def configuration(n_cols, element_size):
    lanes = 1 << math.ceil(math.log2(n_cols))
    together = max(1, 4096 // (lanes * element_size))
    together = min(together, 8) if n_cols <= 512 else 1
    threads = together * lanes * element_size // 64
    return together, max(1, min(1024, threads) // 32)
