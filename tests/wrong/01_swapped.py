# exercise: 1.2
# mistake: read-written-swapped
def naive_traffic(m, n):
    return 3 * m * n + 2 * m, 5 * m * n + 2 * m
