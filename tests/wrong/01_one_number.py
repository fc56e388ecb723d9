# exercise: 1.2
# mistake: not-two-numbers
def naive_traffic(m, n):
    return 8 * m * n + 4 * m
