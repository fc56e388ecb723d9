# exercise: 4.3
# mistake: none
def block_size(n_cols):
    return min(1 << (n_cols - 1).bit_length(), 1 << 17)
