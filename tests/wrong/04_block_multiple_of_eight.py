# exercise: 4.3
# mistake: block-multiple
def block_size(n_cols):
    return (n_cols + 7) // 8 * 8
