# exercise: 15.2
LIMITS = [(64, 8, 1), (128, 8, 2), (256, 4, 2), (1024, 1, 2), (2048, 1, 4), (4096, 1, 8), (8192, 1, 16), (32768, 1, 32)]


def configuration(n_cols, element_size):
    if element_size == 2 and 256 < n_cols <= 512:
        return [2, 1]
    for limit, rows, warps in LIMITS:
        if n_cols <= limit:
            return [rows, max(1, warps // 2) if element_size == 2 and 1000 >= n_cols > 256 else warps]
