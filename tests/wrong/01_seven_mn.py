# exercise: 1.2
# mistake: seven-mn
def naive_traffic(m, n):
    return 7 * m * n + 2 * m, 3 * m * n + 2 * m
