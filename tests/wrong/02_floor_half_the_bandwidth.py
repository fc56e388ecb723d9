# exercise: 2.3
# mistake: bandwidth-changed
def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * n * itemsize / (bandwidth / 2)
