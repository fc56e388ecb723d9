# exercise: 12.1
# mistake: state-changed-later
def tree_reduce(values):
    v = list(values)
    states, half = [v], len(v) // 2
    while half > 0:
        for i in range(half):
            v[i] += v[i + half]
        states.append(v[:half])
        half //= 2
    return states
