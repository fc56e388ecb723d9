# exercise: 2.2
# mistake: same-for-every-matrix
def naive_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def fused_traffic(m, n):
    return m * n, m * n


def ideal_speedup(m, n):
    return 4
