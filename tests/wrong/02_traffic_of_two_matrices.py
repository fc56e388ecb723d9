# exercise: 2.1
# mistake: both-counts-doubled
def fused_traffic(m, n):
    return 2 * m * n, 2 * m * n
