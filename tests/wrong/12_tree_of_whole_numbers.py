# exercise: 12.1
# mistake: none
def tree_reduce(values):
    states, now = [list(values)], [int(v) for v in values]
    while len(now) > 1:
        half = len(now) // 2
        now = [a + b for a, b in zip(now[:half], now[half:])]
        states.append(now)
    return states
