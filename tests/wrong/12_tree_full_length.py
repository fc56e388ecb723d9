# exercise: 12.1
# mistake: tree-not-halved
def tree_reduce(values):
    values = list(values)
    states, half = [list(values)], len(values) // 2
    while half > 0:
        for i in range(half):
            values[i] += values[i + half]
        states.append(list(values))
        half //= 2
    return states
