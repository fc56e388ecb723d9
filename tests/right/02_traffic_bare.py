# exercise: 2.2
def naive_traffic(m, n):
    """(elements read, elements written) by the five passes on an m×n matrix."""
    return (5 * m * n + 2 * m, 3 * m * n + 2 * m)

def fused_traffic(m, n):
    """(elements read, elements written) by a fused softmax of an m×n matrix."""
    return (m * n, m * n)

def ideal_speedup(m, n):
    """Elements moved by the five passes, over elements moved by a fused softmax."""
    return sum(naive_traffic(m, n)) / sum(fused_traffic(m, n))
