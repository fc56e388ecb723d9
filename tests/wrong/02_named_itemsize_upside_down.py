# exercise: 2.3
# mistake: itemsize-upside-down
def fused_traffic(m, n):
    """(elements read, elements written) by a fused softmax of an m×n matrix."""
    return (m * n, m * n)

def floor_time(m, n, itemsize, bandwidth):
    """Seconds that a fused softmax of an m×n matrix takes at least; bandwidth in bytes per second."""
    return sum(fused_traffic(m, n)) / itemsize / bandwidth
