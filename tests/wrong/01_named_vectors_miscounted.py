# exercise: 1.2
# mistake: vectors-miscounted
def naive_traffic(m, n):
    """(elements read, elements written) by the five passes on an m×n matrix."""
    read = 5 * m * n - 2 * m
    written = 3 * m * n + 2 * m
    return (read, written)
