# exercise: 2.3
# mistake: not-a-number
def floor_time(m, n, itemsize, bandwidth):
    return f"{2 * m * n * itemsize / bandwidth} s"
