# exercise: 4.3
# mistake: module-not-imported
def block_size(n_cols):
    return 2 ** math.ceil(math.log2(n_cols))
