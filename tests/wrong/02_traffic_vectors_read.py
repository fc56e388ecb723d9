# exercise: 2.1
# mistake: vectors-on-chip
def fused_traffic(m, n):
    return m * n + 2 * m, m * n
