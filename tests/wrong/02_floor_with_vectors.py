# exercise: 2.3
# mistake: vectors-on-chip
def floor_time(m, n, itemsize, bandwidth):
    return (2 * m * n + 4 * m) * itemsize / bandwidth
