# exercise: 2.3
# mistake: float32-assumed
def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * n * 4 / bandwidth
