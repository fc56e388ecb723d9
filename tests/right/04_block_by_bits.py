# exercise: 4.3
def block_size(n_cols):
    return 1 << (n_cols - 1).bit_length()
