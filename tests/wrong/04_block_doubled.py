# exercise: 4.3
# mistake: block-doubled
def block_size(n_cols):
    return 1 << n_cols.bit_length()
