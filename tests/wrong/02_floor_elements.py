# exercise: 2.3
# mistake: itemsize-forgotten
def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * n / bandwidth
