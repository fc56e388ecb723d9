# exercise: 12.1
# mistake: whole-number-needed
def tree_reduce(values):
    """All states of a sum by halves, each a list: the values, what each step makes of them, at last [their sum].

    values: a list of 2, 4, 8, ... numbers, or of one.
    """
    states = [values]
    while len(values) > 1:
        half = len(values) / 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states
