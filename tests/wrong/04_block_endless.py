# exercise: 4.3
# mistake: endless
def block_size(n_cols):
    block = 0
    while block < n_cols:
        block *= 2
    return block
