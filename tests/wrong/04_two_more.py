# exercise: 4.3
# mistake: two-added
def block_size(n_cols):
    b = 1
    while b < n_cols:
        b += 2
    return b
