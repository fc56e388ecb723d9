# exercise: 4.3
# mistake: block-is-n-cols
def block_size(n_cols):
    return n_cols
