# exercise: 2.3
def floor_time(m, n, itemsize, bandwidth):
    gigabytes = 2 * m * n * itemsize / 1e9
    gigabytes_per_second = bandwidth / 1e9
    return gigabytes / gigabytes_per_second
