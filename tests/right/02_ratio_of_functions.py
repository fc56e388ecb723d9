# exercise: 2.2
def naive_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def fused_traffic(m, n):
    return m * n, m * n


def ideal_speedup(m, n):
    read, written = naive_traffic(m, n)
    fused_read, fused_written = fused_traffic(m, n)
    return (read + written) / (fused_read + fused_written)
