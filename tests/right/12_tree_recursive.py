# exercise: 12.1
def tree_reduce(values):
    if len(values) == 1:
        return [values]
    half = len(values) // 2
    return [values, *tree_reduce([a + b for a, b in zip(values[:half], values[half:])])]
