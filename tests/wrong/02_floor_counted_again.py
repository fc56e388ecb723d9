# exercise: 2.3
# mistake: counted-twice
def floor_time(m, n, itemsize, bandwidth):
    return 2 * 2 * m * n * itemsize / bandwidth
