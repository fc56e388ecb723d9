# exercise: 2.3
# mistake: not-in-seconds
def floor_time(m, n, itemsize, bandwidth):
    return 1e6 * 2 * m * n * itemsize / bandwidth
