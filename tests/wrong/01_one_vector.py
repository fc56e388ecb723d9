# exercise: 1.2
# mistake: vectors-forgotten
def naive_traffic(m, n):
    return 5 * m * n + m, 3 * m * n + 2 * m
