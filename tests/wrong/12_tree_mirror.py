# exercise: 12.1
# mistake: tree-mirror
def tree_reduce(values):
    states = [values]
    while len(values) > 1:
        values = [values[i] + values[-1 - i] for i in range(len(values) // 2)]
        states.append(values)
    return states
