# exercise: 4.3
# mistake: returns-nothing
def block_size(n_cols):
    block = 1
    while block < n_cols:
        block *= 2
