# exercise: 12.1
# mistake: tree-result-bare
def tree_reduce(values):
    states = [values]
    while len(values) > 2:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states + [sum(values)]
