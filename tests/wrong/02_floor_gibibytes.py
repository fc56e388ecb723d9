# exercise: 2.3
# mistake: not-in-seconds
def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * n * itemsize / 2**30 / bandwidth
