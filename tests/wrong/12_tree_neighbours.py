# exercise: 12.1
# mistake: tree-neighbours
def tree_reduce(values):
    states = [values]
    while len(values) > 1:
        values = [values[i] + values[i + 1] for i in range(0, len(values), 2)]
        states.append(values)
    return states
