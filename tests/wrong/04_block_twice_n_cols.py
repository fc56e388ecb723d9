# exercise: 4.3
# mistake: columns-doubled
def block_size(n_cols):
    return 2 * n_cols
