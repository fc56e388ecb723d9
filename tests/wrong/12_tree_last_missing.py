# exercise: 12.1
# mistake: tree-states-missing
def tree_reduce(values):
    states = []
    while len(values) > 1:
        states.append(values)
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
    return states
