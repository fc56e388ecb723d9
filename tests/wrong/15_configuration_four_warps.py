# exercise: 15.2
# mistake: too-few-warps
def configuration(n_cols, element_size):
    if n_cols <= 256:
        return 1024 // (n_cols * element_size) * 2 if n_cols > 64 else 8, 2
    return 1, 4
