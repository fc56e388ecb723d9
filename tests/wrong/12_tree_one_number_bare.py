# exercise: 12.1
# mistake: tree-one-number-bare
def tree_reduce(values):
    """All states of a sum by halves, each a list: the values, what each step makes of them, and finally [their sum].

    values: a list of 2, 4, 8, ... numbers, or of one.
    """
    # Keep the first state; as long as there are two numbers, make the next one (about 5 lines).
    if len(values) == 1:
        return values
    states = [values]
    while len(values) > 1:
        half = len(values) // 2
        values = [values[i] + values[i + half] for i in range(half)]
        states.append(values)
    return states
