# exercise: 4.3
# mistake: block-squared
def block_size(n_cols):
    block = 2
    while block < n_cols:
        block *= block
    return block
