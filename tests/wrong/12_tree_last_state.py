# exercise: 12.1
# mistake: tree-only-result
def tree_reduce(values):
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
    return values
