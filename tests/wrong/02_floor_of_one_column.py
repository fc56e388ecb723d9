# exercise: 2.3
# mistake: one-column-counted


def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * itemsize / bandwidth
