# exercise: 4.3
# mistake: block-rounded-down
def block_size(n_cols):
    return 1 << (n_cols.bit_length() - 1)
