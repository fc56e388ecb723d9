# exercise: 15.2
# mistake: no-pair
def configuration(n_cols, element_size):
    return {"ROWS": 1, "num_warps": 4}
