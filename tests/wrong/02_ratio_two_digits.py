# exercise: 2.2
# mistake: rounded
def naive_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def fused_traffic(m, n):
    return m * n, m * n


def ideal_speedup(m, n):
    return round(sum(naive_traffic(m, n)) / sum(fused_traffic(m, n)), 2)
