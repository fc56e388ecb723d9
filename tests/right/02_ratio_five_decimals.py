# exercise: 2.2
def ideal_speedup(m, n):
    return round((8 * m * n + 4 * m) / (2 * m * n), 5)
