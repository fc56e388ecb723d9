# exercise: 12.1
# mistake: tree-states-reversed
def tree_reduce(values):
    states = [list(values)]
    while len(states[-1]) > 1:
        last = states[-1]
        half = len(last) // 2
        states.append([last[i] + last[i + half] for i in range(half)])
    return states[::-1]
