# exercise: 2.3
# mistake: returns-nothing
def floor_time(m, n, itemsize, bandwidth):
    print(2 * m * n * itemsize / bandwidth)
