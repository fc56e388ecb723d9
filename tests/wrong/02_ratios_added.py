# exercise: 2.2
# mistake: ratio-doubled
def naive_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def fused_traffic(m, n):
    return m * n, m * n


def ideal_speedup(m, n):
    return sum(a / b for a, b in zip(naive_traffic(m, n), fused_traffic(m, n)))
