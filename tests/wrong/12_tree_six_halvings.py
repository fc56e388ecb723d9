# exercise: 12.1
# mistake: tree-of-fixed-steps
def tree_reduce(values):
    states = [list(values)]
    for half in (16, 8, 4, 2, 1):
        if half < len(states[-1]):
            states.append([states[-1][i] + states[-1][i + half] for i in range(half)])
    return states
