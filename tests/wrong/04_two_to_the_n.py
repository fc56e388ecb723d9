# exercise: 4.3
# mistake: n-for-exponent
def block_size(n_cols):
    return 2**n_cols
