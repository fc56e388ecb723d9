# exercise: 12.1
# mistake: state-changed-later
def tree_reduce(values):
    """All states of a sum by halves, each a list: the values, what each step makes of them, at last [their sum].

    values: a list of 2, 4, 8, ... numbers, or of one.
    """
    # Keep the first state; as long as there are two numbers, make the next one (about 5 lines).
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        for i in range(half):
            values[i] += values[i + half]
        values = values[:half]
        states.append(values)
    return states
