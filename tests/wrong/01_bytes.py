# exercise: 1.2
# mistake: bytes-not-elements
def naive_traffic(m, n):
    return 4 * (5 * m * n + 2 * m), 4 * (3 * m * n + 2 * m)
