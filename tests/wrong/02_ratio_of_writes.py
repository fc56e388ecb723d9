# exercise: 2.2
# mistake: one-direction
def naive_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def fused_traffic(m, n):
    return m * n, m * n


def ideal_speedup(m, n):
    return naive_traffic(m, n)[1] / fused_traffic(m, n)[1]
