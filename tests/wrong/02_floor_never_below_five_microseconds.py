# exercise: 2.3
# mistake: none
def floor_time(m, n, itemsize, bandwidth):
    return max(2 * m * n * itemsize / bandwidth, 5e-6)  # no launch is faster
