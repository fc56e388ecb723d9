# exercise: 1.2
# mistake: vectors-of-n
def naive_traffic(m, n):
    return 5 * m * n + 2 * n, 3 * m * n + 2 * n
