# exercise: 2.3
# mistake: bits-not-bytes
def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * n * itemsize / (bandwidth * 8)
