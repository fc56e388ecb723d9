# exercise: 2.3
# mistake: rounded
def floor_time(m, n, itemsize, bandwidth):
    return round(2 * m * n * itemsize / bandwidth, 6)
