# exercise: 2.1
# mistake: matrix-miscounted
def fused_traffic(m, n):
    """(elements read, elements written) by a fused softmax of an m×n matrix."""
    return (n, m * n)
