# exercise: 4.3
# mistake: block-at-least
def block_size(n_cols):
    return max(1 << (n_cols - 1).bit_length(), 32)
