# exercise: 2.3
# mistake: one-direction
def floor_time(m, n, itemsize, bandwidth):
    return m * n * itemsize / bandwidth
