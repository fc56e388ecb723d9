# exercise: 12.1
def tree_reduce(values):
    values = values[:]
    states, half = [values[:]], len(values) // 2
    while half:
        for i in range(half):
            values[i] += values[i + half]
        states.append(values[:half])
        half >>= 1
    return states
