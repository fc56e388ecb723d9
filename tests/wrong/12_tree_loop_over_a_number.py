# exercise: 12.1
# mistake: loop-over-a-number
def tree_reduce(values):
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in half]
        states.append(values)
    return states
