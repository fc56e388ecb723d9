# exercise: 2.3
# mistake: five-passes-counted
def floor_time(m, n, itemsize, bandwidth):
    return (8 * m * n + 4 * m) * itemsize / bandwidth
