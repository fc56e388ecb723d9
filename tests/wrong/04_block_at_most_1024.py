# exercise: 4.3
# mistake: block-capped
def block_size(n_cols):
    return min(1 << (n_cols - 1).bit_length(), 1024)
