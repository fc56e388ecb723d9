# exercise: 12.1
# mistake: list-changed
def tree_reduce(values):
    states = [list(values)]
    while len(values) > 1:
        half = len(values) // 2
        for i in range(half):
            values[i] += values[i + half]
        del values[half:]
        states.append(list(values))
    return states
