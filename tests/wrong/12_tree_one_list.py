# exercise: 12.1
# mistake: tree-one-list
def tree_reduce(values):
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        for i in range(half):
            values[i] += values[i + half]
        del values[half:]
        states.append(values)
    return states
