# exercise: 12.1
# mistake: tree-not-added
def tree_reduce(values):
    states = [list(values)]
    while len(states[-1]) > 1:
        last = states[-1]
        half = len(last) // 2
        states.append([max(last[i], last[i + half]) for i in range(half)])
    return states
