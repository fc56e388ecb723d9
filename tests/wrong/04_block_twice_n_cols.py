# exercise: 4.3
# mistake: block-multiple
def block_size(n_cols):
    return 2 * n_cols
