# exercise: 4.3
# mistake: block-constant
def block_size(n_cols):
    return 1024
