# exercise: 2.3
# mistake: not-a-time
def floor_time(m, n, itemsize, bandwidth):
    return bandwidth / (2 * m * n * itemsize)
